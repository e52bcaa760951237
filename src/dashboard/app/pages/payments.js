// Payments.

import { html } from '../vendor/preact.js';
import { words } from '../lib/format.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Major, Status, Time, Word } from '../parts/value.js';

export const PAYMENTS = {
  page: 'payments',
  title: 'Payments',
  label: 'Payments',
  field: 'payments',
  node: 'id: paymentId paymentId amount currencyCode status paymentMethod card { brand last4 } createdAt refundedAmount',
  watch: 'Payment|Refund|Invoice',
  csv: 'payments',
  href: (row) => path('payments', row.paymentId),
  filters: [{ name: 'status', label: 'Status', choices: ['provider_pending', 'authorized', 'provider_completed', 'settled', 'deposit_confirmed', 'failed', 'cancelled', 'refund_pending', 'refund_failed', 'refund_cancelled', 'refunded'] }],
  columns: [
    { label: 'Payment', show: (row) => row.paymentId },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Method', kind: 'middle', show: (row) => (row.card ? `${words(row.card.brand)} ${row.card.last4}` : html`<${Word} of=${row.paymentMethod} />`) },
    { label: 'Begun', kind: 'wide', show: (row) => html`<${Time} at=${row.createdAt} />` },
    { label: 'Refunded', kind: 'number wide', show: (row) => row.refundedAmount > 0 && html`<${Major} amount=${row.refundedAmount} currency=${row.currencyCode} />` },
    { label: 'Amount', kind: 'number', show: (row) => html`<${Major} amount=${row.amount} currency=${row.currencyCode} strong />` },
  ],
  empty: { title: 'No payments yet.', text: 'They begin on an invoice\'s payment page, on a hosted checkout, or over the API.' },
};

export default function Payments() {
  return html`<${ListPage} spec=${PAYMENTS} />`;
}
