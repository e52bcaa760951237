// Payouts.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { PAYOUT_METHOD } from '../parts/paying.js';
import { Money, Status, Time, To, accountOf } from '../parts/value.js';

export const PAYOUTS = {
  page: 'payouts',
  title: 'Payouts',
  label: 'Payouts',
  field: 'payouts',
  node: 'id status approvalStatus amountMinor currencyCode payeeId walletId createdAt completedAt destination { iban accountNumber accountName }',
  watch: 'Payout',
  csv: 'payouts',
  href: (row) => path('payouts', row.id),
  filters: [
    { name: 'status', label: 'Status', choices: ['pending', 'processing', 'completed', 'failed', 'cancelled'] },
    { name: 'payeeId', label: 'Payee', example: 'id' },
    { name: 'walletId', label: 'Wallet', example: 'id' },
  ],
  columns: [
    { label: 'Payout', show: (row) => `#${row.id}` },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />${row.approvalStatus === 'awaiting_approval' && html` <${Status} of=${row.approvalStatus} tone="warn" />`}` },
    { label: 'Payee', kind: 'middle', show: (row) => (row.payeeId ? html`<${To} page="payees" id=${row.payeeId} />` : 'you') },
    { label: 'To', kind: 'wide', show: (row) => accountOf(row.destination) },
    { label: 'Asked for', kind: 'middle', show: (row) => html`<${Time} at=${row.createdAt} />` },
    { label: 'Amount', kind: 'number', show: (row) => html`<${Money} minor=${row.amountMinor} currency=${row.currencyCode} strong />` },
  ],
  actions: [PAYOUT_METHOD],
  empty: { title: 'No payouts yet.', text: 'Open a wallet with an available balance and pay it out.' },
};

export default function Payouts() {
  return html`<${ListPage} spec=${PAYOUTS} />`;
}
