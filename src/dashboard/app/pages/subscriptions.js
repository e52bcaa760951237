// Subscriptions.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Day, Money, Quantity, Status, To, Word } from '../parts/value.js';

/** The day on which another term follows; none of one that is paused, or ends before. */
function renewsOn({ status, trialEndBehavior, currentPeriodEnd, cancelAt, endDate }) {
  const goesOn = ['active', 'past_due'].includes(status) || (status === 'trialing' && trialEndBehavior !== 'cancel');
  // Days as the API writes them are in order as texts; the last day is one that is served.
  const ends = (cancelAt && cancelAt <= currentPeriodEnd) || (endDate && endDate < currentPeriodEnd);
  return goesOn && !ends ? currentPeriodEnd : null;
}

export const SUBSCRIPTIONS = {
  page: 'subscriptions',
  title: 'Subscriptions',
  label: 'Subscriptions',
  field: 'subscriptions',
  node: 'id description status priceMinor quantity currency frequency currentPeriodEnd cancelAt endDate trialEndBehavior contractId',
  watch: 'Subscription',
  csv: 'subscriptions',
  href: (row) => path('subscriptions', row.id),
  filters: [{ name: 'contractId', label: 'Contract', example: 'id' }],
  columns: [
    { label: 'Plan', show: (row) => row.description ?? `Subscription ${row.id}` },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Contract', kind: 'wide', show: (row) => html`<${To} page="contracts" id=${row.contractId} />` },
    { label: 'Term', kind: 'middle', show: (row) => html`<${Word} of=${row.frequency} />` },
    { label: 'Renews', kind: 'middle', show: (row) => html`<${Day} on=${renewsOn(row)} />` },
    { label: 'Quantity', kind: 'number wide', show: (row) => html`<${Quantity} of=${row.quantity} />` },
    { label: 'Price', kind: 'number', show: (row) => html`<${Money} minor=${row.priceMinor} currency=${row.currency} strong />` },
  ],
  empty: { title: 'No subscriptions yet.', text: 'They are made on a contract.' },
};

export default function Subscriptions() {
  return html`<${ListPage} spec=${SUBSCRIPTIONS} />`;
}
