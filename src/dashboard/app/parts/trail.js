// Things that happened one after the other.

import { html } from '../vendor/preact.js';

/** `entries` are `{key, at, title, detail, amount, tone}`; `at` is shown as it is given. */
export function Trail({ entries }) {
  return html`<ol class="trail">${entries.map((entry) => html`<li key=${entry.key} class=${entry.tone ?? ''}>
    <div class="trail-line"><span class="trail-title">${entry.title}</span>${entry.amount && html`<span class="trail-amount">${entry.amount}</span>`}</div>
    <div class="trail-under"><span>${entry.at}</span>${entry.detail && html`<span>${entry.detail}</span>`}</div></li>`)}</ol>`;
}
