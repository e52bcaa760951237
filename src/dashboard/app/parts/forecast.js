// What a contract has billed by month, and what it is going to.

import { html, useState } from '../vendor/preact.js';
import { args, ask, literal } from '../lib/api.js';
import { addMonths, isoDay, money, moneyShort, month } from '../lib/format.js';
import { useAsk } from '../lib/read.js';
import { Bars } from './chart.js';
import { Empty, Read } from './state.js';
import { Day, Money } from './value.js';

const monthsFrom = (first, count) => Array.from({ length: count }, (_, index) => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index, 1)).toISOString().slice(0, 7));

/** What the timeline, which goes by the contract's clock, adds to and takes from what was billed. */
const SIGNS = { invoice_issued: 1, credit_note_issued: -1, invoice_voided: -1 };

/** What was billed in each month from `since` on, however many entries that takes. */
async function billedByMonth(contractId, since, signal) {
  const billed = new Map();
  for (let after = ''; ; ) {
    const { timeline } = await ask(`{ timeline${args({ contractId, first: 100, after })} { nodes { kind occurredAt amountMinor } pageInfo { hasNextPage endCursor } } }`, signal);
    for (const { kind, occurredAt, amountMinor } of timeline.nodes) {
      const at = occurredAt.slice(0, 7);
      if (!SIGNS[kind] || amountMinor === null || at < since) continue;
      billed.set(at, (billed.get(at) ?? 0) + SIGNS[kind] * Math.abs(amountMinor));
    }
    const oldest = timeline.nodes.at(-1)?.occurredAt ?? '';
    if (!timeline.pageInfo.hasNextPage || oldest.slice(0, 7) < since) return billed;
    after = timeline.pageInfo.endCursor;
  }
}

export function Forecast({ contract, now }) {
  const [ahead, setAhead] = useState(12);
  const [today, to] = [new Date(now), addMonths(now, ahead)];
  const since = isoDay(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - 11)).slice(0, 7);
  const query = `{ simulate(contractId: ${literal(contract.id)}, to: "${isoDay(to)}", assume: { firstInvoice: true }) { documents { issueDate grandTotalMinor lines { description amountMinor } } totals { billedMinor taxMinor byMonth { month billedMinor } } notes } }`;
  const read = useAsk(query, 'Invoice|Subscription', async (text, signal) => {
    const [billed, coming] = await Promise.all([billedByMonth(contract.id, since, signal), ask(text, signal)]);
    return { billed, ...coming };
  });
  const choose = html`<label class="filter"><span class="hidden">Look ahead</span><select value=${ahead} onChange=${(event) => setAhead(Number(event.target.value))}>${[3, 6, 12, 24, 36].map((count) => html`<option value=${count}>${count} months ahead</option>`)}</select></label>`;
  // The choice stays where a forecast is refused: another one may be given.
  return html`<div class="panel-head"><h2>Billed and forecast</h2>${choose}</div><${Read} from=${read}>${({ billed, simulate }) => {
    const first = new Date(`${[...billed.keys(), now.slice(0, 7)].sort()[0]}-01`);
    const count = (to.getUTCFullYear() - first.getUTCFullYear()) * 12 + to.getUTCMonth() - first.getUTCMonth() + 1;
    const months = monthsFrom(first, count);
    const going = new Map(simulate.totals.byMonth.map((one) => [one.month, one.billedMinor]));
    const format = (minor) => money(Math.round(minor), contract.currency);
    return html`${billed.size + going.size === 0 ? html`<${Empty} title="Nothing to bill." >Give the contract a subscription or items.</${Empty}>` : html`<${Bars} stacked title="By month" labels=${months.map((one) => (count > 14 ? `${month(one)} ${one.slice(2, 4)}` : month(one)))} series=${[{ label: 'Billed', values: months.map((one) => billed.get(one) ?? 0) }, { label: 'Forecast', values: months.map((one) => going.get(one) ?? 0) }]} format=${format} short=${(minor) => moneyShort(minor, contract.currency)} />`}
      <p>By <${Day} on=${isoDay(to)} /> it is going to bill <b><${Money} minor=${simulate.totals.billedMinor} currency=${contract.currency} /></b>, <${Money} minor=${simulate.totals.taxMinor} currency=${contract.currency} /> of it tax.</p>
      ${simulate.notes.length > 0 && html`<ul class="soft">${simulate.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
      ${simulate.documents.length > 0 && html`<details class="numbers"><summary>${simulate.documents.length} documents</summary><table class="table"><tbody>${simulate.documents.slice(0, 60).map((one) => html`<tr><td><${Day} on=${one.issueDate} /></td><td>${one.lines.map((line) => line.description).join(', ')}</td><td class="number"><${Money} minor=${one.grandTotalMinor} currency=${contract.currency} /></td></tr>`)}</tbody></table></details>`}`;
  }}</${Read}>`;
}
