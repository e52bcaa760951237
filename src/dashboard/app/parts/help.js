// The keys that do something on this page.

import { html } from '../vendor/preact.js';
import { keysNow } from '../lib/keys.js';

export default function Help({ close }) {
  const all = [...new Map(keysNow().map((one) => [one.keys, one])).values()];
  const jumps = all.filter((one) => one.keys.startsWith('g '));
  const rest = all.filter((one) => !one.keys.startsWith('g '));
  const list = (keys) => html`<dl class="keys">${keys.map((one) => html`<div><dt>${one.keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${one.about}</dd></div>`)}</dl>`;
  return html`<div><h2>Keys</h2>${list([...rest, { keys: 'Enter', about: 'Open the row' }, { keys: 'Esc', about: 'Close what is open' }])}
    <h3>Go to</h3>${list(jumps)}
    <div class="buttons"><button type="button" class="button" onClick=${close}>Close</button></div></div>`;
}
