// Wallets: the seller's own and those of payees.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Money, Status, To } from '../parts/value.js';

export const TABS = [['wallets', 'Wallets'], ['topups', 'Top-ups']];

export const WALLETS = {
  page: 'wallets',
  title: 'Wallets',
  label: 'Wallets',
  field: 'wallets',
  node: 'id type currency status payeeId pendingBalanceMinor availableBalanceMinor reservedBalanceMinor withdrawableBalanceMinor',
  watch: 'Payment|Payout',
  href: (row) => path('wallets', row.id),
  filters: [{ name: 'payeeId', label: 'Payee', example: 'id' }],
  columns: [
    { label: 'Wallet', show: (row) => (row.type === 'main' ? `Yours, ${row.currency}` : `Wallet ${row.id}, ${row.currency}`) },
    { label: 'Payee', kind: 'middle', show: (row) => html`<${To} page="payees" id=${row.payeeId} />` },
    { label: 'Status', kind: 'wide', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Pending', kind: 'number middle', show: (row) => html`<${Money} minor=${row.pendingBalanceMinor} currency=${row.currency} />` },
    { label: 'Reserved', kind: 'number wide', show: (row) => html`<${Money} minor=${row.reservedBalanceMinor} currency=${row.currency} />` },
    { label: 'Available', kind: 'number', show: (row) => html`<${Money} minor=${row.availableBalanceMinor} currency=${row.currency} strong />` },
  ],
  tabs: TABS,
  empty: { title: 'No wallets yet.', text: 'They come to be with the first payment in a currency.' },
};

export default function Wallets() {
  return html`<${ListPage} spec=${WALLETS} />`;
}
