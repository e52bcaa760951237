// What stands in the place of data: while it comes, when there is none, when it is refused.

import { html } from '../vendor/preact.js';
import { advice } from '../lib/api.js';

export function Loading({ lines = 6 }) {
  return html`<div class="loading" role="status" aria-label="Loading">${Array.from({ length: lines }, () => html`<span class="bone"></span>`)}</div>`;
}

export function Empty({ title, children }) {
  return html`<div class="empty"><p class="empty-title">${title}</p>${children ? html`<p>${children}</p>` : ''}</div>`;
}

export function Problem({ error, again }) {
  if (error.code === 'NOT_AVAILABLE') return html`<${Empty} title="Not on this server">It runs a version of Accrue without this.</${Empty}>`;
  const about = advice(error);
  return html`<div class="problem-box" role="alert">
    <p class="problem-title">${error.message}</p>
    ${about ? html`<p>${about}</p>` : ''}
    ${error.code === 'UNAUTHENTICATED'
      ? html`<a class="button" href=${location.pathname + location.search} data-whole target="_self">Sign in</a>`
      : again && error.code !== 'NOT_FOUND' && html`<button type="button" class="button plain" onClick=${again}>Try again</button>`}
  </div>`;
}

/** The data of a read once it is there. */
export function Read({ from, lines, children }) {
  if (from.data) return children(from.data);
  return from.error ? html`<${Problem} error=${from.error} again=${from.again} />` : html`<${Loading} lines=${lines} />`;
}
