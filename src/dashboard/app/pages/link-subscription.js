// One subscription by payment link, with what was charged for it.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { words } from '../lib/format.js';
import { path } from '../lib/route.js';
import { Listing } from '../parts/list.js';
import { Panel, RecordPage } from '../parts/record.js';
import { States } from '../parts/states.js';
import { Day, Money, Status, Time } from '../parts/value.js';

const FIELDS = 'id title status amountMinor currency frequency trialDays installments commitmentTerms recipientEmail url startedOn trialEnd termsPaid nextChargeOn retryOn failureCode card { brand last4 expMonth expYear } cancelledAt cancelledBy createdAt';

const NODES = [
  { name: 'pending', x: 0, y: 0 },
  { name: 'trialing', x: 0, y: 1 },
  { name: 'active', x: 1, y: 0 },
  { name: 'past_due', x: 1, y: 1 },
  { name: 'completed', x: 2, y: 0 },
  { name: 'cancelled', x: 2, y: 1 },
];
const MOVES = [['pending', 'active'], ['pending', 'trialing'], ['trialing', 'active'], ['active', 'past_due'], ['active', 'completed'], ['past_due', 'cancelled'], ['active', 'cancelled']];

const payments = {
  label: 'Payments',
  field: 'linkSubscriptionPayments',
  node: 'paymentId term status amountMinor currency automatic failureCode createdAt',
  watch: 'Subscription|Payment',
  whole: true,
  href: (row) => path('payments', row.paymentId),
  columns: [
    { label: 'Payment', show: (row) => row.paymentId },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'For', kind: 'middle', show: (row) => (row.term ? `term ${row.term}` : 'the card') },
    { label: 'By', kind: 'middle', show: (row) => (row.automatic ? 'the kept card' : 'the buyer') },
    { label: 'When', kind: 'wide', show: (row) => html`<${Time} at=${row.createdAt} />` },
    { label: 'Amount', kind: 'number', show: (row) => html`<${Money} minor=${row.amountMinor} currency=${row.currency} strong />` },
  ],
  empty: { title: 'Nothing was charged yet.' },
};

function make(one) {
  const goes = !['cancelled', 'completed'].includes(one.status);
  return {
    title: one.title,
    status: html`<${Status} of=${one.status} />`,
    amount: html`<${Money} minor=${one.amountMinor} currency=${one.currency} /><span class="soft">${words(one.frequency).toLowerCase()}</span>`,
    actions: [
      { label: 'Open the page', href: one.url, outside: true },
      { label: 'Cancel', danger: true, field: 'cancelLinkSubscription', when: goes, title: 'Cancel the subscription', about: 'Nothing more is charged, and the card is forgotten. What was paid stays paid.', input: () => ({ linkSubscriptionId: one.id }), done: 'The subscription is cancelled.' },
    ],
    above: html`<section class="panel"><${States} label="Status" nodes=${NODES} moves=${MOVES} now=${one.status} /></section>`,
    facts: [
      ['Address', html`<a href=${one.url} target="_blank" rel="noopener">${one.url}</a>`],
      ['Buyer', one.recipientEmail],
      ['Paid terms', `${one.termsPaid}${one.installments ? ` of ${one.installments}` : ''}`],
      one.nextChargeOn && ['Next charge', html`<${Day} on=${one.nextChargeOn} />`],
      one.retryOn && ['Tried again', html`<${Day} on=${one.retryOn} />`],
      one.failureCode && ['Last failure', one.failureCode],
      one.trialDays && ['Free days', one.trialDays],
      one.trialEnd && ['Trial until', html`<${Day} on=${one.trialEnd} />`],
      one.commitmentTerms && ['Buyer may cancel after', `${one.commitmentTerms} terms`],
      one.card && ['Card', `${words(one.card.brand)} ${one.card.last4}, until ${one.card.expMonth}/${one.card.expYear}`],
      one.startedOn && ['Signed', html`<${Day} on=${one.startedOn} />`],
      one.cancelledAt && ['Cancelled', html`<${Time} at=${one.cancelledAt} /> by the ${one.cancelledBy}`],
      ['Made', html`<${Time} at=${one.createdAt} />`],
    ],
    tabs: [{ name: 'payments', label: 'Payments', show: () => html`<${Panel} flush><${Listing} embedded spec=${payments} fixed=${{ linkSubscriptionId: one.id }} /></${Panel}>` }],
  };
}

export default function LinkSubscription({ id }) {
  return html`<${RecordPage} query=${`{ linkSubscription(id: ${literal(id)}) { ${FIELDS} } }`} of="linkSubscription" watch="Subscription|Payment" list=${{ page: 'link-subscriptions', title: 'Subscriptions' }} make=${make} />`;
}
