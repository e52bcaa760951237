// The test clock of a contract: dragged forward, with a forecast of what that bills, then turned.

import { html, useEffect, useState } from '../vendor/preact.js';
import { act, advice, ask, literal } from '../lib/api.js';
import { addMonths, clock, day, money } from '../lib/format.js';
import { useAsk } from '../lib/read.js';
import { useMay } from '../lib/who.js';
import { Read } from './state.js';
import { Day, Money, Status, To } from './value.js';

const DAY = 86400000;
const MOST = 366;
const daysOn = (at, days) => new Date(at.getTime() + days * DAY);
export const STEPS = [['+1 day', (at) => daysOn(at, 1)], ['+1 week', (at) => daysOn(at, 7)], ['+1 month', (at) => addMonths(at, 1)], ['+1 year', (at) => addMonths(at, 12)]];

function Documents({ of }) {
  return html`<table class="table" aria-label="What is billed"><tbody>${of.map((one, index) => html`<tr key=${one.id ?? index}><td>${one.id ? html`<${To} page="invoices" id=${one.id}>${one.invoiceNumber}</${To}>` : html`<span class="soft">forecast</span>`}</td><td>${one.id ? 'due ' : ''}<${Day} on=${one.issueDate} /></td><td>${one.status && html`<${Status} of=${one.status} />`}</td><td class="number"><${Money} minor=${one.grandTotalMinor} currency=${one.currency} /></td></tr>`)}</tbody></table>`;
}

const documents = (count) => html`<b>${count}</b> ${count === 1 ? 'document' : 'documents'}`;
const invoices = (count) => html`<b>${count}</b> ${count === 1 ? 'invoice was' : 'invoices were'}`;

/** What is billed until then, which takes a turn for each document. */
export function Coming({ of, currency }) {
  const count = of.documents.length;
  if (!count) return html`<p>By then nothing would be billed.</p>`;
  return html`<p>Billed day by day, ${documents(count)} over <b>${money(of.totals.billedMinor, currency)}</b> would be issued by then.${count > 1 ? ' One turn of the clock issues one invoice at most: the oldest that is due.' : ''}</p>
    <${Documents} of=${of.documents.slice(0, 12)} />`;
}

/** What a turn did, and what it left. */
export function Made({ of }) {
  const { issued, failed, passDisabled } = of.invoices;
  return html`<p>${invoices(issued)} issued${failed ? html`, <b>${failed}</b> could not be issued` : ''}${of.collection.charged ? html`, <b>${of.collection.charged}</b> charged` : ''}${of.collection.failed ? html`, <b>${of.collection.failed}</b> charges failed` : ''}.${passDisabled ? ' Invoicing is switched off on this server.' : ''}</p>
    ${of.documents.length > 0 && html`<${Documents} of=${of.documents} />`}
    ${of.notAdvanced.length > 0 && html`<details class="numbers"><summary>What does not turn with the clock</summary><ul class="soft">${of.notAdvanced.map((text) => html`<li>${text}</li>`)}</ul></details>`}`;
}

function Dial({ now, contract, turned }) {
  const [days, setDays] = useState(0);
  const [shown, setShown] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const [made, setMade] = useState(null);
  const begin = new Date(now);
  const to = daysOn(begin, days);
  useEffect(() => {
    setShown(null);
    if (!days) return undefined;
    const control = new AbortController();
    const timer = setTimeout(() => {
      ask(`{ simulate(contractId: ${literal(contract.id)}, to: ${literal(to.toISOString())}) { documents { issueDate grandTotalMinor currency } totals { billedMinor } } }`, control.signal).then((data) => setShown(data.simulate), () => {});
    }, 200);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [days, now]);
  const turn = async () => {
    if (!days || busy) return;
    setBusy(true);
    setError(null);
    try {
      const answer = await act('advanceTestClock', { contractId: contract.id, to: to.toISOString() }, 'clock { now } invoices { issued failed passDisabled } collection { charged failed } notAdvanced');
      const found = await ask(`{ invoices(contractId: ${literal(contract.id)}, first: 20) { nodes { id invoiceNumber status issueDate: dueDate grandTotalMinor currency } } }`);
      setMade({ ...answer, documents: found.invoices.nodes.slice(0, answer.invoices.issued) });
      setDays(0);
      turned();
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
  };
  const move = (by) => setDays(Math.min(MOST, Math.max(0, Math.round((by(to) - begin) / DAY))));
  return html`<div class="clock">
    <div class="clock-now"><span>The clock of this contract stands at <b><time datetime=${now} title=${now}>${clock(now)}</time></b></span></div>
    <div><label for="clock-dial" class="hidden">Turn the clock to</label>
      <input id="clock-dial" type="range" min="0" max=${MOST} value=${days} disabled=${busy} aria-valuetext=${days ? day(to) : 'now'} onInput=${(event) => setDays(Number(event.target.value))} onKeyDown=${(event) => event.key === 'Enter' && turn()} />
      <div class="clock-ends"><span>now</span><output for="clock-dial">${days ? `${day(to)}, ${days} ${days === 1 ? 'day' : 'days'} on` : 'drag to turn it forward'}</output><span>a year</span></div></div>
    <div class="clock-steps">${STEPS.map(([label, by]) => html`<button type="button" class="button plain small" disabled=${busy} onClick=${() => move(by)}>${label}</button>`)}
      <button type="button" class="button" disabled=${!days || busy} onClick=${turn}>${busy ? 'Turning…' : days ? `Advance to ${day(to)}` : 'Advance'}</button></div>
    ${error && html`<div class="notice bad" role="alert"><p>${error.message}</p><p>${advice(error)}</p></div>`}
    <div aria-live="polite">
      ${shown && html`<${Coming} of=${shown} currency=${contract.currency} />`}
      ${made && !days && html`<${Made} of=${made} />`}
    </div></div>`;
}

export function TestClock({ contract, turned }) {
  const read = useAsk(`{ testClock(contractId: ${literal(contract.id)}) { now simulated } }`);
  const may = useMay();
  return html`<${Read} from=${read} lines=${3}>${({ testClock }) =>
    may('advanceTestClock')
      ? html`<${Dial} now=${testClock.now} contract=${contract} turned=${() => (read.again(), turned())} />`
      : html`<p>The clock of this contract stands at <b>${clock(testClock.now)}</b>.</p>`}</${Read}>`;
}
