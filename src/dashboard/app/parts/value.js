// Values as people read them, with the exact one where a program or a pointer asks for it.

import { html } from '../vendor/preact.js';
import { ago, clock, day, isoDay, major, money, quantity, time, words } from '../lib/format.js';
import { path } from '../lib/route.js';

const NONE = html`<span class="none" aria-label="none">–</span>`;

/** An amount in minor units. */
export function Money({ minor, currency, strong }) {
  if (minor === null || minor === undefined) return NONE;
  const exact = `${major(minor, currency)} ${currency}`;
  return html`<data class=${`money${strong ? ' strong' : ''}${minor < 0 ? ' below' : ''}`} value=${minor} title=${exact}>${money(minor, currency)}</data>`;
}

/** An amount in major units with two decimals, as payments have it. */
export function Major({ amount, currency, strong }) {
  if (amount === null || amount === undefined) return NONE;
  return html`<${Money} minor=${minorOfMajor(amount)} currency=${currency} strong=${strong} />`;
}

/** Payments have currencies of two decimals alone. */
export function minorOfMajor(amount) {
  return Math.round(Number(amount) * 100);
}

export function Day({ on }) {
  return on ? html`<time datetime=${on} title=${on}>${day(on)}</time>` : NONE;
}

/** The days of a period, whose end is the day after its last. */
export function Period({ from, until }) {
  if (!from) return NONE;
  const last = until ? isoDay(new Date(until).getTime() - 86_400_000) : from;
  return last > from ? html`<${Day} on=${from} /> – <${Day} on=${last} />` : html`<${Day} on=${from} />`;
}

export function Time({ at }) {
  return at ? html`<time datetime=${at} title=${at}>${time(at)}</time>` : NONE;
}

/** An instant of a contract's own clock. */
export function Clock({ at }) {
  return at ? html`<time datetime=${at} title=${at}>${clock(at)}</time>` : NONE;
}

export function Ago({ at }) {
  return at ? html`<time datetime=${at} title=${at}>${ago(at)}</time>` : NONE;
}

export function Quantity({ of }) {
  return of === null || of === undefined ? NONE : html`<data value=${of} title=${of}>${quantity(of)}</data>`;
}

export function Word({ of }) {
  return of ? words(of) : NONE;
}

export function Code({ children }) {
  return children === null || children === undefined || children === '' ? NONE : html`<code>${children}</code>`;
}

/** A link to the page of an object. */
export function To({ page, id, query, children }) {
  if (id === null || id === undefined) return NONE;
  return html`<a href=${path(page, id, query)}>${children ?? id}</a>`;
}

const GOOD = ['active', 'paid', 'settled', 'provider_completed', 'deposit_confirmed', 'delivered', 'approved', 'completed', 'available', 'verified', 'success', 'redriven', 'sent', 'live', 'done', 'received'];
const BAD = ['failed', 'past_due', 'overdue', 'written_off', 'rejected', 'rejected_final', 'rejected_retry', 'blocked', 'returned', 'exhausted', 'dead', 'parked', 'disputed'];
const WARN = ['pending', 'provider_pending', 'authorized', 'trialing', 'paused', 'draft', 'initiated', 'processing', 'manual_review', 'invited', 'refund_pending', 'partially_paid', 'queued', 'retrying', 'waiting', 'held', 'reserved'];

function tone(status) {
  if (GOOD.includes(status)) return 'good';
  if (BAD.includes(status)) return 'bad';
  if (WARN.includes(status) || /pending/.test(status)) return 'warn';
  return 'plain';
}

export function Status({ of, tone: given }) {
  return of ? html`<span class=${`status ${given ?? tone(of)}`}>${words(of)}</span>` : NONE;
}

/** A bank account by its number, of which the end alone is told. */
export const accountOf = ({ iban, accountNumber }) => iban ?? accountNumber;
