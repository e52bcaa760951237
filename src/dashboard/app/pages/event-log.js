// The event log, each event under a number without a gap.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Time, To } from '../parts/value.js';

const OF_LINK_SUBSCRIPTIONS = [['subscriptionId', 'link-subscriptions', 'Subscription']];
const OF_PAYMENTS = [['paymentId', 'payments', 'Payment'], ['invoiceId', 'invoices', 'Invoice'], ['paymentLinkId', 'links', 'Payment link']];
const OF_OTHERS = [['invoiceId', 'invoices', 'Invoice'], ['subscriptionId', 'subscriptions', 'Subscription'], ['payoutId', 'payouts', 'Payout'], ['payeeId', 'payees', 'Payee'], ['contractId', 'contracts', 'Contract'], ['paymentId', 'payments', 'Payment'], ['paymentLinkId', 'links', 'Payment link']];

function objectsOf({ eventType, payload }) {
  if (payload?.source === 'payment_links') return OF_LINK_SUBSCRIPTIONS;
  return eventType.startsWith('Payment') ? OF_PAYMENTS : OF_OTHERS;
}

/** A link to what an event is about. */
export function Subject({ event }) {
  const found = objectsOf(event).find(([name]) => event.payload?.[name] !== undefined);
  return found && html`<${To} page=${found[1]} id=${event.payload[found[0]]}>${found[2]} ${event.payload[found[0]]}</${To}>`;
}

const EVENTS = {
  page: 'event-log',
  title: 'Events',
  label: 'Events',
  about: 'Oldest first. They are kept for a while; a program reads on from the last number that it has seen.',
  field: 'events',
  node: 'id eventId sequence eventType occurredAt payload',
  watch: '.',
  href: (row) => path('event-log', row.sequence),
  filters: [{ name: 'eventType', label: 'Event type', example: 'InvoicePaid' }],
  columns: [
    { label: 'Number', show: (row) => row.sequence },
    { label: 'Type', show: (row) => row.eventType },
    { label: 'Of', kind: 'middle', show: (row) => html`<${Subject} event=${row} />` },
    { label: 'When', kind: 'middle', show: (row) => html`<${Time} at=${row.occurredAt} />` },
  ],
  empty: { title: 'Nothing has happened yet.', text: 'Each change that others may want to hear of is an event.' },
};

export default function Events() {
  return html`<${ListPage} spec=${EVENTS} />`;
}
