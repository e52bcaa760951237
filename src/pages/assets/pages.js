// Comfort for the card form; the page works without it.
(() => {
  "use strict";

  const form = document.querySelector("form[data-once]");
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

  if (!form) return;
  const button = form.querySelector("button[data-busy]");
  const status = document.getElementById("status");
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
})();
