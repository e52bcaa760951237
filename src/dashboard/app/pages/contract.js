// One contract: its clock, what it bills and is going to, its history, and all that is on it.

import { html, useState } from '../vendor/preact.js';
import { args, literal, textOf, whole } from '../lib/api.js';
import { words } from '../lib/format.js';
import { useAsk } from '../lib/read.js';
import { useWho } from '../lib/who.js';
import { amend, newSubscription, putInForce, topUp } from '../parts/amending.js';
import { runBilling } from '../parts/billing.js';
import { TestClock } from '../parts/clock.js';
import { draft } from '../parts/drafting.js';
import { Actions } from '../parts/form.js';
import { Forecast } from '../parts/forecast.js';
import { Listing, Pager } from '../parts/list.js';
import { Panel, RecordPage } from '../parts/record.js';
import { Empty, Read } from '../parts/state.js';
import { Trail } from '../parts/trail.js';
import { Usage } from '../parts/usage.js';
import { Clock, Day, Money, Quantity, Status, Time, To, Word } from '../parts/value.js';
import { INVOICES } from './invoices.js';
import { SUBSCRIPTIONS } from './subscriptions.js';

const FIELDS = 'id contractNumber status currency version startDate endDate createdAt sellerCustomerId customerName customerCompanyName customerCompanyCountry customerPhone lineItems { id lineItemId componentType quantity componentConfig }';

const TONES = { paid: 'good', granted: 'good', recovered: 'good', activated: 'good', overdue: 'bad', failed: 'bad', past_due: 'bad', voided: 'bad', written_off: 'bad', canceled: 'bad', exceeded: 'warn', paused: 'warn', reminder_sent: 'warn' };
const toneOf = (kind) => Object.entries(TONES).find(([end]) => kind.endsWith(end))?.[1];

function Timeline({ contract }) {
  const read = useAsk(`{ timeline(contractId: ${literal(contract.id)}, first: 100) { nodes { id kind detail amountMinor currency occurredAt invoiceId subscriptionId } pageInfo { hasNextPage } } }`, 'Invoice|Subscription|Credit|Payment');
  return html`<${Read} from=${read}>${({ timeline }) => timeline.nodes.length === 0
    ? html`<${Empty} title="Nothing has happened yet." />`
    : html`<${Trail} entries=${timeline.nodes.map((one) => ({
        key: one.id,
        title: html`${words(one.kind)}${one.invoiceId ? html` <${To} page="invoices" id=${one.invoiceId}>invoice ${one.invoiceId}</${To}>` : one.subscriptionId ? html` <${To} page="subscriptions" id=${one.subscriptionId}>subscription ${one.subscriptionId}</${To}>` : ''}`,
        at: html`<${Clock} at=${one.occurredAt} />`,
        detail: one.detail,
        amount: one.amountMinor !== null && html`<${Money} minor=${one.amountMinor} currency=${one.currency} />`,
        tone: toneOf(one.kind),
      }))} />${timeline.pageInfo.hasNextPage && html`<p class="soft">The latest hundred entries are shown.</p>`}`}</${Read}>`;
}

const said = (config) => textOf(config?.description) || textOf(config?.name);

function Items({ contract, again }) {
  const work = (item) => ['project', 'milestone'].includes(item.componentType) && item.componentConfig?.status !== 'completed';
  if (!contract.lineItems?.length) return html`<${Empty} title="No items.">Items are one-time amounts, projects, milestones and adjustments: an amendment puts them on the contract.</${Empty}>`;
  return html`<table class="table" aria-label="Items"><thead><tr><th scope="col">Item</th><th scope="col">Sort</th><th scope="col" class="number">Quantity</th><th scope="col" class="number">Amount</th><th scope="col">Status</th></tr></thead><tbody>
    ${contract.lineItems.map((item) => html`<tr key=${item.id}><td>${said(item.componentConfig) || `#${item.lineItemId}`}</td><td><${Word} of=${item.componentType} /></td><td class="number"><${Quantity} of=${item.quantity} /></td><td class="number"><${Money} minor=${whole(item.componentConfig?.amountMinor)} currency=${contract.currency} /></td>
      <td>${textOf(item.componentConfig?.status) && html`<${Status} of=${item.componentConfig.status} /> `}<${Actions} small of=${[{ label: 'Done', field: 'completeWorkItem', when: work(item), title: 'The work is done', about: 'It is billed with the next run.', input: () => ({ contractId: contract.id, lineItemId: item.lineItemId }), done: 'The work is done.' }]} done=${again} /></td></tr>`)}</tbody></table>`;
}

function Credit({ contract }) {
  // Where the pages begin that were turned to, newest movements first.
  const [pages, setPages] = useState([]);
  const page = { contractId: contract.id, first: 25, after: pages.at(-1) };
  const read = useAsk(`{ creditEntries${args(page)} { balances { creditType currency balanceMinor } entries { id kind creditType currency signedDeltaMinor reason occurredAt expiresAt invoiceId } hasMore nextCursor } }`, 'Credit|Invoice');
  return html`<${Read} from=${read}>${({ creditEntries: { balances, entries, hasMore, nextCursor } }) => html`<${Panel} title="Stored credit" actions=${html`<${Actions} small of=${[topUp(contract)]} done=${read.again} />`}>
      ${balances.length === 0 ? html`<p class="soft">None. Credit pays invoices by itself when they are issued.</p>` : html`<dl class="facts">${balances.map((one) => html`<div><dt>${words(one.creditType)}</dt><dd><${Money} minor=${one.balanceMinor} currency=${one.currency} strong /></dd></div>`)}</dl>`}</${Panel}>
    ${entries.length > 0 && html`<${Panel} title="Movements"><${Trail} entries=${entries.map((one) => ({ key: one.id, title: html`${words(one.kind)} <span class="soft">${words(one.creditType)}</span>`, at: html`<${Clock} at=${one.occurredAt} />`, detail: html`${one.reason}${one.expiresAt && html`, expires <${Clock} at=${one.expiresAt} />`}`, amount: html`<${Money} minor=${one.signedDeltaMinor} currency=${one.currency} />`, tone: one.signedDeltaMinor > 0 ? 'good' : '' }))} />
      ${(hasMore || pages.length > 0) && html`<${Pager} previous=${pages.length > 0 && (() => setPages(pages.slice(0, -1)))} next=${hasMore && (() => setPages([...pages, String(nextCursor)]))} />`}</${Panel}>`}`}</${Read}>`;
}

const COMPARED = [
  ['Status', (one) => html`<${Status} of=${one.status} />`, (one) => one.status],
  ['First day', (one) => html`<${Day} on=${one.startDate} />`, (one) => one.startDate],
  ['Last day', (one) => html`<${Day} on=${one.endDate} />`, (one) => one.endDate],
  ['Customer', (one) => one.customerName, (one) => one.customerName],
  ['Company', (one) => one.customerCompanyName, (one) => one.customerCompanyName],
  ['Country', (one) => one.customerCompanyCountry, (one) => one.customerCompanyCountry],
  ['Phone', (one) => one.customerPhone, (one) => one.customerPhone],
  ['Items', (one) => (one.lineItems?.length ? html`<ul>${one.lineItems.map((item) => html`<li>${item.quantity} × ${words(item.componentType)} ${said(item.componentConfig)}</li>`)}</ul>` : null), (one) => JSON.stringify(one.lineItems ?? [])],
];

/** Newest first, each beside the one that it replaced, with what is different marked. */
function Versions({ contract }) {
  const read = useAsk(`{ versions(contractId: ${literal(contract.id)}, first: 12) { nodes { ${FIELDS} } pageInfo { hasNextPage } } }`, 'Contract');
  return html`<${Read} from=${read}>${({ versions: { nodes } }) => {
    const sorted = [...nodes].sort((a, b) => b.version - a.version);
    return html`<div class="versions">${sorted.map((one, index) => {
      const before = sorted[index + 1];
      const rows = COMPARED.map(([label, show, exact]) => [label, show(one), before && exact(one) !== exact(before)]).filter(([, shown, changed]) => changed || (shown !== null && shown !== undefined));
      return html`<section class="panel" key=${one.version}><h2>Version ${one.version}</h2><p class="soft"><${Time} at=${one.createdAt} /></p><dl>${rows.map(([label, shown, changed]) => html`<div class=${changed ? 'changed' : ''}><dt>${label}${changed && html` <span>changed</span>`}</dt><dd>${shown ?? '–'}</dd></div>`)}</dl></section>`;
    })}</div>`;
  }}</${Read}>`;
}

function Now({ contract, again }) {
  const { account } = useWho();
  const read = useAsk(`{ upcomingInvoice(contractId: ${literal(contract.id)}) { asOf nextIssueDate currency grandTotalMinor collectibleEstimateMinor notes lines { description amountMinor quantity } } }`, 'Invoice|Subscription|Credit');
  const turned = () => {
    read.again();
    again();
  };
  return html`${account.mode === 'demo' && html`<${Panel} title="Test clock"><${TestClock} contract=${contract} turned=${turned} /></${Panel}>`}
    <${Read} from=${read}>${({ upcomingInvoice: next }) => html`<div class="panels">
      <${Panel}><${Forecast} key=${next.asOf} contract=${contract} now=${next.asOf} /></${Panel}>
      <${Panel} title="Next invoice">${next && next.nextIssueDate ? html`<p><${Day} on=${next.nextIssueDate} />: <b><${Money} minor=${next.grandTotalMinor} currency=${next.currency} /></b></p><ul class="next-lines">${next.lines.map((line) => html`<li><span>${line.description}</span> <${Money} minor=${line.amountMinor} currency=${next.currency} /></li>`)}</ul>` : html`<p class="soft">Nothing is due.</p>`}
        ${next?.notes.map((note) => html`<p class="soft">${note}</p>`)}</${Panel}></div>`}</${Read}>`;
}

function make(contract, _, again) {
  const fixed = { contractId: contract.id };
  return {
    title: contract.contractNumber,
    status: html`<${Status} of=${contract.status} />`,
    lead: [contract.customerCompanyName, contract.customerName].filter(Boolean).join(', '),
    actions: [putInForce(contract), newSubscription(contract), runBilling(contract), draft(contract), amend(contract)],
    facts: [
      ['Customer', html`<${To} page="customers" id=${contract.sellerCustomerId}>${contract.customerName ?? contract.sellerCustomerId}</${To}>`],
      ['Currency', contract.currency],
      ['From', html`<${Day} on=${contract.startDate} />`],
      ['To', contract.endDate ? html`<${Day} on=${contract.endDate} />` : 'open'],
      ['Version', contract.version],
    ],
    tabs: [
      { name: 'now', label: 'Now', show: () => html`<${Now} contract=${contract} again=${again} />` },
      { name: 'timeline', label: 'Timeline', show: () => html`<${Panel}><${Timeline} contract=${contract} /></${Panel}>` },
      { name: 'subscriptions', label: 'Subscriptions', show: () => html`<${Panel} flush><${Listing} embedded spec=${SUBSCRIPTIONS} fixed=${fixed} /></${Panel}>` },
      { name: 'invoices', label: 'Invoices', show: () => html`<${Panel} flush><${Listing} embedded spec=${INVOICES} fixed=${fixed} /></${Panel}>` },
      { name: 'usage', label: 'Usage', show: () => html`<${Usage} contract=${contract.id} />` },
      { name: 'items', label: 'Items', show: () => html`<${Panel} flush><${Items} contract=${contract} again=${again} /></${Panel}>` },
      { name: 'credits', label: 'Credit', show: () => html`<${Credit} contract=${contract} />` },
      { name: 'versions', label: 'Versions', show: () => html`<${Versions} contract=${contract} />` },
    ],
  };
}

export default function Contract({ id }) {
  return html`<${RecordPage} query=${`{ contract(id: ${literal(id)}) { ${FIELDS} } }`} of="contract" watch="Contract" list=${{ page: 'contracts', title: 'Contracts' }} make=${make} />`;
}
