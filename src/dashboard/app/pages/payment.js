// One payment: where it stands, drawn; its refunds, attempts and shares.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { words } from '../lib/format.js';
import { useAsk } from '../lib/read.js';
import { Panel, RecordPage } from '../parts/record.js';
import { States } from '../parts/states.js';
import { Empty, Read } from '../parts/state.js';
import { Trail } from '../parts/trail.js';
import { Major, Money, Status, Time, To, minorOfMajor } from '../parts/value.js';

const FIELDS = 'paymentId amount capturedAmount refundedAmount currencyCode status captureMode paymentMethod paymentType countryCode mode createdAt updatedAt settledAt expiresAt requiresAction failureCode failureDescription failureCategory failureStage retry card { brand last4 expMonth expYear } refunds { refundId amount status reason failureCode createdAt } attempts { at failureCode paymentMethod } payeeDistribution { payeeId amount }';

const NODES = [
  { name: 'provider_pending', label: 'Pending', x: 0, y: 0 },
  { name: 'authorized', x: 1, y: 0 },
  { name: 'provider_completed', label: 'Completed', x: 2, y: 0 },
  { name: 'settled', x: 3, y: 0 },
  { name: 'refund_pending', x: 4, y: 0 },
  { name: 'refunded', x: 5, y: 0 },
  { name: 'failed', x: 1, y: 1 },
  { name: 'cancelled', x: 2, y: 1 },
  { name: 'deposit_confirmed', x: 3, y: 1 },
  { name: 'refund_failed', x: 5, y: 1 },
];
const MOVES = [['provider_pending', 'authorized'], ['authorized', 'provider_completed'], ['provider_completed', 'settled'], ['settled', 'refund_pending'], ['refund_pending', 'refunded'], ['provider_pending', 'failed'], ['authorized', 'cancelled'], ['provider_completed', 'deposit_confirmed'], ['refund_pending', 'refund_failed']];

/** The states that it has certainly come through. */
function passed(payment) {
  const found = ['provider_pending'];
  if (payment.captureMode === 'manual' && payment.status !== 'failed') found.push('authorized');
  if (payment.capturedAmount > 0) found.push(...(payment.captureMode === 'manual' ? [] : ['authorized']), 'provider_completed');
  if (payment.settledAt) found.push('settled');
  if (['refunded', 'refund_failed'].includes(payment.status)) found.push('refund_pending');
  return found;
}

function actions(payment) {
  const { currencyCode: currency } = payment;
  const left = minorOfMajor(payment.capturedAmount) - minorOfMajor(payment.refundedAmount);
  const uncaptured = minorOfMajor(payment.amount) - minorOfMajor(payment.capturedAmount);
  const amount = (about) => ({ name: 'amountMinor', label: `Amount, ${currency}`, kind: 'money', currency, about });
  const of = (values) => ({ paymentId: payment.paymentId, ...values });
  const refundable = ['provider_completed', 'settled', 'deposit_confirmed', 'refund_failed', 'refund_cancelled'].includes(payment.status) || (payment.status === 'refunded' && left > 0);
  return [
    { label: 'Capture', main: true, field: 'capturePayment', when: payment.status === 'authorized' && uncaptured > 0, fields: [amount('Left empty, all of what is left.'), { name: 'final', label: 'Let go of the rest', kind: 'yes' }], input: of, reads: 'paymentId', done: 'It is captured.' },
    { label: 'Refund', field: 'refundPayment', when: refundable && left > 0, fields: [amount('Left empty, all that was not given back yet.'), { name: 'reason', label: 'Reason' }], input: of, reads: 'refundId status', done: (made) => `The refund is ${words(made.status).toLowerCase()}.` },
    { label: 'Cancel', danger: true, field: 'cancelPayment', when: payment.status === 'authorized', title: 'Cancel the payment', about: 'What is reserved on the card is let go of.', input: of, reads: 'paymentId', done: 'It is cancelled.' },
  ];
}

function Splits({ payment }) {
  const read = useAsk(`{ splitDecisions(paymentId: ${literal(payment.paymentId)}) { nodes { id createdAt currencyCode outcome { grossAmountMinor totalFeeMinor remainderMinor overAllocated shares { payeeId shareAmountMinor feeAmountMinor netAmountMinor effects } } } } }`, 'Payment');
  return html`<${Read} from=${read} lines=${3}>${({ splitDecisions: { nodes } }) => (nodes.length === 0
    ? html`<${Empty} title="It is not shared.">All of it is yours.</${Empty}>`
    : nodes.map((one) => html`<table class="table" aria-label="Shares"><thead><tr><th scope="col">Payee</th><th scope="col" class="number middle">Share</th><th scope="col" class="number middle">Fee</th><th scope="col" class="number">Gets</th></tr></thead><tbody>
      ${one.outcome.shares.map((share) => html`<tr key=${share.payeeId}><td><${To} page="payees" id=${share.payeeId}>Payee ${share.payeeId}</${To}> <span class="soft">${share.effects.map(words).join(', ')}</span></td><td class="number middle"><${Money} minor=${share.shareAmountMinor} currency=${one.currencyCode} /></td><td class="number middle"><${Money} minor=${share.feeAmountMinor} currency=${one.currencyCode} /></td><td class="number"><${Money} minor=${share.netAmountMinor} currency=${one.currencyCode} /></td></tr>`)}
      <tr><th scope="row">Yours</th><td class="middle"></td><td class="middle"></td><td class="number"><${Money} minor=${one.outcome.remainderMinor + one.outcome.totalFeeMinor} currency=${one.currencyCode} /></td></tr></tbody></table>`))}</${Read}>`;
}

function make(payment) {
  const { currencyCode: currency } = payment;
  const trail = [
    { key: 'begun', at: html`<${Time} at=${payment.createdAt} />`, title: 'Begun', amount: html`<${Major} amount=${payment.amount} currency=${currency} />` },
    ...(payment.attempts ?? []).filter((one) => one.failureCode).map((one, index) => ({ key: `attempt ${index}`, at: html`<${Time} at=${one.at} />`, title: `Declined, ${one.failureCode}`, detail: words(one.paymentMethod), tone: 'bad' })),
    payment.failureCode > 0 && { key: 'failed', at: html`<${Time} at=${payment.updatedAt} />`, title: `Failed: ${payment.failureDescription ?? payment.failureCode}`, detail: [payment.failureStage, payment.retry && `retry ${words(payment.retry).toLowerCase()}`].filter(Boolean).join(', '), tone: 'bad' },
    payment.settledAt && { key: 'settled', at: html`<${Time} at=${payment.settledAt} />`, title: 'Settled', amount: html`<${Major} amount=${payment.capturedAmount} currency=${currency} />`, tone: 'good' },
    ...payment.refunds.map((one) => ({ key: one.refundId, at: html`<${Time} at=${one.createdAt} />`, title: html`Refund <${Status} of=${one.status} tone=${one.status === 'succeeded' ? 'good' : undefined} />`, detail: one.reason, amount: html`<${Major} amount=${-one.amount} currency=${currency} />`, tone: one.status === 'failed' ? 'bad' : 'warn' })),
  ];
  return {
    title: payment.paymentId,
    status: html`<${Status} of=${payment.status} />`,
    amount: html`<${Major} amount=${payment.amount} currency=${currency} />${payment.refundedAmount > 0 && html`<span class="soft"><${Major} amount=${payment.refundedAmount} currency=${currency} /> refunded</span>`}`,
    actions: actions(payment),
    above: html`<section class="panel"><${States} label="Status" nodes=${NODES} moves=${MOVES} now=${payment.status} passed=${passed(payment)} /></section>`,
    facts: [
      ['Method', payment.card ? `${words(payment.card.brand)} ending in ${payment.card.last4}` : words(payment.paymentMethod)],
      ['Captured', html`<${Major} amount=${payment.capturedAmount} currency=${currency} /> (${payment.captureMode})`],
      ['Country', payment.countryCode],
      ['Begun', html`<${Time} at=${payment.createdAt} />`],
      payment.settledAt && ['Settled', html`<${Time} at=${payment.settledAt} />`],
      payment.expiresAt && ['Expires', html`<${Time} at=${payment.expiresAt} />`],
      payment.failureCode > 0 && ['Failure', `${payment.failureCode} ${payment.failureDescription ?? ''}`],
    ],
    tabs: [
      { name: 'trail', label: 'What happened', show: () => html`<${Panel}><${Trail} entries=${trail.filter(Boolean)} /></${Panel}>` },
      { name: 'shares', label: 'Shares', show: () => html`<${Panel} flush><${Splits} payment=${payment} /></${Panel}>` },
    ],
  };
}

export default function Payment({ id }) {
  return html`<${RecordPage} query=${`{ payment(id: ${literal(id)}) { ${FIELDS} } }`} of="payment" watch="Payment" list=${{ page: 'payments', title: 'Payments' }} make=${make} />`;
}
