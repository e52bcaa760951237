// Comfort for the forms, and news for the pages that wait; all of them work without it.
(() => {
  "use strict";

  // What a choice has of the field that it takes the place of.
  const SHARED = ["id", "name", "autocomplete", "aria-invalid", "aria-describedby", "data-keep"];

  const COUNTRIES =
    "ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCYCZ" +
    "DEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJMJOJP" +
    "KEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONPNRNUNZ" +
    "OMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTNTOTRTTTVTWTZ" +
    "UAUGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZW";

  const summary = document.querySelector("[data-focus]");
  if (summary) summary.focus();

  const number = document.getElementById("cardNumber");
  if (number) number.addEventListener("input", () => group(number));

  const code = document.getElementById("cvv");
  if (code) code.addEventListener("input", () => digitsOnly(code));

  const expiry = document.getElementById("expiry");
  if (expiry) expiry.addEventListener("input", (event) => monthAndYear(expiry, event.inputType));

  // Groups of four; American Express is written 4-6-5.
  function group(field) {
    const before = digits(field.value.slice(0, field.selectionStart)).length;
    const all = digits(field.value).slice(0, 19);
    const sizes = /^3[47]/.test(all) ? [4, 6, 5] : [4, 4, 4, 4, 3];
    const parts = [];
    let from = 0;
    for (const size of sizes) {
      if (from < all.length) parts.push(all.slice(from, from + size));
      from += size;
    }
    field.value = parts.join(" ");
    let caret = 0;
    for (let seen = 0; caret < field.value.length && seen < before; caret += 1) {
      if (field.value[caret] !== " ") seen += 1;
    }
    field.setSelectionRange(caret, caret);
  }

  // "12 / 30" of whatever is typed or pasted; what is deleted stays deleted.
  function monthAndYear(field, how) {
    if (field.selectionStart !== field.value.length || /^delete/.test(how || "")) return;
    const typed = field.value.trim();
    const turned = /^(\d{4})\D+(\d{1,2})$/.exec(typed);
    const parts = turned ? [turned[2], turned[1]] : typed.split(/\D+/).filter(Boolean);
    let [month = "", year = ""] = parts;
    if (parts.length === 1 && month.length > 2) [month, year] = [month.slice(0, 2), month.slice(2)];
    if (/^[2-9]$/.test(month) || (month.length === 1 && parts.length > 1)) month = `0${month}`;
    if (month.length < 2) return;
    field.value = `${month} / ${year.slice(0, 4)}`;
  }

  function digitsOnly(field) {
    const kept = digits(field.value);
    if (kept !== field.value) field.value = kept;
  }

  function digits(text) {
    return text.replace(/[^0-9]/g, "");
  }

  // A page that waits shows what has become of the payment as soon as it is known.
  const waiting = document.querySelector("[data-events]");
  if (waiting && "EventSource" in window) follow(waiting.dataset.events);

  function follow(address) {
    const events = new EventSource(address);
    events.addEventListener("status", (event) => {
      const { status, requiresAction, attempts, failureCode = "" } = JSON.parse(event.data);
      // The page may be older than the first event.
      if ([status, requiresAction, attempts, failureCode].join(" ") === waiting.dataset.told) return;
      events.close();
      if (waiting.dataset.next) location.replace(waiting.dataset.next);
      else location.reload();
    });
    window.addEventListener("pagehide", () => events.close());
    // What the buyer has just sent leads on by itself.
    document.addEventListener("submit", () => events.close());
    // Coming back through the browser's history, the page may be out of date.
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
  }

  // Whoever has paid in one window is not asked in another.
  if ("BroadcastChannel" in window) tellOthers(new BroadcastChannel(location.pathname));

  function tellOthers(others) {
    if (document.querySelector("[data-done]")) others.postMessage("paid");
    else if (number) others.addEventListener("message", () => location.reload());
  }

  for (const field of document.querySelectorAll("[data-countries]")) chooseFrom(field);
  for (const button of document.querySelectorAll("[data-copy]")) copies(button);
  for (const timer of document.querySelectorAll("[data-seconds]")) countDown(timer);
  for (const button of document.querySelectorAll("[data-print]")) {
    button.hidden = false;
    button.addEventListener("click", () => window.print());
  }

  // Countries by their names in the language of the page, in place of two letters.
  function chooseFrom(field) {
    if (!("DisplayNames" in Intl)) return;
    const language = document.documentElement.lang;
    const names = new Intl.DisplayNames([language], { type: "region" });
    const known = COUNTRIES.match(/../g).map((two) => [names.of(two), two]);
    known.sort(([a], [b]) => a.localeCompare(b, language));
    const choice = document.createElement("select");
    for (const { name, value } of field.attributes) {
      if (SHARED.includes(name)) choice.setAttribute(name, value);
    }
    for (const [name, two] of [["", ""], ...known]) choice.add(new Option(name, two));
    choice.value = field.value.toUpperCase();
    field.replaceWith(choice);
  }

  function copies(button) {
    if (!navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      button.textContent = button.dataset.copied;
    });
  }

  function countDown(timer) {
    const end = Date.now() + Number(timer.dataset.seconds) * 1000;
    const show = () => {
      const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      timer.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      if (left > 0) setTimeout(show, 1000);
    };
    timer.hidden = false;
    show();
  }

  // What is no secret is typed once: it is there again after a card that was declined.
  const keeping = `kept ${location.pathname}`;
  const kept = document.querySelectorAll("[data-keep]");
  const store = ofThisWindow();
  if (store && kept.length && summary) bringBack();
  else if (store) store.removeItem(keeping);

  // Nothing where the browser keeps nothing for anybody.
  function ofThisWindow() {
    try {
      return window.sessionStorage;
    } catch {
      return null;
    }
  }

  function bringBack() {
    const known = JSON.parse(store.getItem(keeping) || "{}");
    for (const field of kept) if (!field.value && known[field.id]) field.value = known[field.id];
  }

  function keep() {
    const typed = [...kept].map((field) => [field.id, field.value]);
    if (store && typed.length) store.setItem(keeping, JSON.stringify(Object.fromEntries(typed)));
  }

  // A digit that is wrong is told before anything is sent, so that nothing is typed twice.
  function wrongField(form) {
    const card = form.querySelector("#cardNumber");
    const method = form.querySelector("[name=paymentMethod]:checked, [name=paymentMethod][type=hidden]");
    if (!card || (method && method.value !== "card")) return null;
    const number = digits(card.value);
    const found = [
      [card, number ? !isNumber(number) && card.dataset.wrong : card.dataset.missing],
      [expiry, expiry.value.trim() ? isOver(expiry.value) && expiry.dataset.wrong : expiry.dataset.missing],
      [code, !/^\d{3,4}$/.test(code.value.trim()) && code.dataset.missing],
    ];
    for (const [field, text] of found) tell(field, text);
    const wrong = found.find(([, text]) => text);
    return wrong ? wrong[0] : null;
  }

  // By Luhn's digit.
  function isNumber(typed) {
    let sum = 0;
    [...typed].reverse().forEach((digit, place) => {
      const value = Number(digit) * (place % 2 ? 2 : 1);
      sum += value > 9 ? value - 9 : value;
    });
    return typed.length >= 12 && sum % 10 === 0;
  }

  // Whether a month is known to be behind; what cannot be read is left to the server.
  function isOver(typed) {
    const [, month, year] = /^(\d{1,2})\D*(\d{4}|\d{2})$/.exec(typed.trim()) || [];
    if (!year) return false;
    const now = new Date();
    const ends = (Number(year) % 100) * 12 + Number(month);
    return ends < (now.getFullYear() % 100) * 12 + now.getMonth() + 1;
  }

  function tell(field, text) {
    let problem = document.getElementById(`${field.id}-problem`);
    if (!text) {
      if (problem) problem.remove();
      field.removeAttribute("aria-invalid");
      field.removeAttribute("aria-describedby");
      return;
    }
    if (!problem) {
      problem = document.createElement("p");
      problem.className = "problem";
      problem.id = `${field.id}-problem`;
      field.after(problem);
    }
    problem.textContent = text;
    field.setAttribute("aria-invalid", "true");
    field.setAttribute("aria-describedby", problem.id);
  }

  for (const form of document.querySelectorAll("form[data-once]")) sendOnce(form);

  function sendOnce(form) {
    const button = form.querySelector("button[data-busy]");
    const status = form.querySelector("[role=status]");
    const label = button && button.textContent;
    let sent = false;

    form.addEventListener("submit", (event) => {
      const wrong = sent ? null : wrongField(form);
      if (sent || wrong) {
        event.preventDefault();
        if (wrong) wrong.focus();
        return;
      }
      sent = true;
      keep();
      if (!button) return;
      button.setAttribute("aria-disabled", "true");
      button.textContent = button.dataset.busy;
      if (status) status.textContent = button.dataset.busy;
    });

    // Coming back through the browser's history shows the form as it was left.
    window.addEventListener("pageshow", (event) => {
      if (!event.persisted) return;
      sent = false;
      if (!button) return;
      button.removeAttribute("aria-disabled");
      button.textContent = label;
      if (status) status.textContent = "";
    });
  }
})();
