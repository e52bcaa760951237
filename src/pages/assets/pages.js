// Comfort for the forms, and news for the pages that wait; all of them work without it.
(() => {
  "use strict";

  const summary = document.querySelector("[data-focus]");
  if (summary) summary.focus();

  const number = document.getElementById("cardNumber");
  if (number) number.addEventListener("input", () => group(number));

  for (const id of ["expMonth", "expYear", "cvv"]) {
    const field = document.getElementById(id);
    if (field) field.addEventListener("input", () => digitsOnly(field));
  }

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
    let first = null;
    events.addEventListener("status", (event) => {
      if (first === null) {
        first = event.data;
      } else if (event.data !== first) {
        events.close();
        location.reload();
      }
    });
    window.addEventListener("pagehide", () => events.close());
    // What the buyer has just sent leads on by itself.
    document.addEventListener("submit", () => events.close());
    // Coming back through the browser's history, the page may be out of date.
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) location.reload();
    });
  }

  for (const form of document.querySelectorAll("form[data-once]")) sendOnce(form);

  function sendOnce(form) {
    const button = form.querySelector("button[data-busy]");
    const status = form.querySelector("[role=status]");
    const label = button && button.textContent;
    let sent = false;

    form.addEventListener("submit", (event) => {
      if (sent) {
        event.preventDefault();
        return;
      }
      sent = true;
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
