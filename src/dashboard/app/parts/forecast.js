// What a contract has billed by month, and what it is going to.

import { html, useState } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { isoDay, money, moneyShort, month } from '../lib/format.js';
import { useAsk } from '../lib/read.js';
import { Bars } from './chart.js';
import { Empty, Read } from './state.js';
import { Day, Money } from './value.js';

const monthsFrom = (first, count) => Array.from({ length: count }, (_, index) => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + index, 1)).toISOString().slice(0, 7));

/** What the timeline, which goes by the contract's clock, adds to and takes from what was billed. */
const SIGNS = { invoice_issued: 1, credit_note_issued: -1, invoice_voided: -1 };

export function Forecast({ contract, now }) {
  const [ahead, setAhead] = useState(12);
  const to = new Date(now);
  to.setUTCMonth(to.getUTCMonth() + ahead);
  const id = literal(contract.id);
  const read = useAsk(`{ timeline(contractId: ${id}, first: 100) { nodes { kind occurredAt amountMinor } }
    simulate(contractId: ${id}, to: "${isoDay(to)}", assume: { firstInvoice: true }) { documents { issueDate grandTotalMinor lines { description amountMinor } } totals { billedMinor taxMinor byMonth { month billedMinor } } notes } }`, 'Invoice|Subscription');
  const choose = html`<label class="filter"><span class="hidden">Look ahead</span><select value=${ahead} onChange=${(event) => setAhead(Number(event.target.value))}>${[3, 6, 12, 24, 36].map((count) => html`<option value=${count}>${count} months ahead</option>`)}</select></label>`;
  return html`<${Read} from=${read}>${({ timeline, simulate }) => {
    const billed = new Map();
    for (const one of timeline.nodes) {
      const sign = SIGNS[one.kind];
      if (!sign || one.amountMinor === null) continue;
      const key = one.occurredAt.slice(0, 7);
      billed.set(key, (billed.get(key) ?? 0) + sign * Math.abs(one.amountMinor));
    }
    const begin = new Date([...billed.keys(), now.slice(0, 7)].sort()[0] + '-01');
    const first = new Date(Math.max(begin, new Date(now).setUTCMonth(new Date(now).getUTCMonth() - 11)));
    const count = (to.getUTCFullYear() - first.getUTCFullYear()) * 12 + to.getUTCMonth() - first.getUTCMonth() + 1;
    const months = monthsFrom(first, count);
    const going = new Map(simulate.totals.byMonth.map((one) => [one.month, one.billedMinor]));
    const format = (minor) => money(Math.round(minor), contract.currency);
    return html`<div class="panel-head"><h2>Billed and forecast</h2>${choose}</div>
      ${billed.size + going.size === 0 ? html`<${Empty} title="Nothing to bill." >Give the contract a subscription or items.</${Empty}>` : html`<${Bars} stacked title="By month" labels=${months.map((one) => (count > 14 ? `${month(one)} ${one.slice(2, 4)}` : month(one)))} series=${[{ label: 'Billed', values: months.map((one) => billed.get(one) ?? 0) }, { label: 'Forecast', values: months.map((one) => going.get(one) ?? 0) }]} format=${format} short=${(minor) => moneyShort(minor, contract.currency)} />`}
      <p>By <${Day} on=${isoDay(to)} /> it is going to bill <b><${Money} minor=${simulate.totals.billedMinor} currency=${contract.currency} /></b>, <${Money} minor=${simulate.totals.taxMinor} currency=${contract.currency} /> of it tax.</p>
      ${simulate.notes.length > 0 && html`<ul class="soft">${simulate.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
      ${simulate.documents.length > 0 && html`<details class="numbers"><summary>${simulate.documents.length} documents</summary><table class="table"><tbody>${simulate.documents.slice(0, 60).map((one) => html`<tr><td><${Day} on=${one.issueDate} /></td><td>${one.lines.map((line) => line.description).join(', ')}</td><td class="number"><${Money} minor=${one.grandTotalMinor} currency=${contract.currency} /></td></tr>`)}</tbody></table></details>`}`;
  }}</${Read}>`;
}
