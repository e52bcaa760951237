// Top-up invoices: money that is sent ahead by bank transfer.

import { html } from '../vendor/preact.js';
import { ListPage } from '../parts/list.js';
import { Day, Money, Status } from '../parts/value.js';
import { TABS } from './wallets.js';

const TOPUPS = {
  page: 'topups',
  title: 'Wallets',
  label: 'Top-ups',
  field: 'topupInvoices',
  node: 'id invoiceNumber status amountMinor receivedMinor currency issuedAt dueAt paymentReference',
  watch: 'Topup',
  columns: [
    { label: 'Number', show: (row) => row.invoiceNumber },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Reference', kind: 'middle', show: (row) => html`<code>${row.paymentReference}</code>` },
    { label: 'Due', kind: 'middle', show: (row) => html`<${Day} on=${row.dueAt} />` },
    { label: 'Came', kind: 'number wide', show: (row) => html`<${Money} minor=${row.receivedMinor} currency=${row.currency} />` },
    { label: 'Amount', kind: 'number', show: (row) => html`<${Money} minor=${row.amountMinor} currency=${row.currency} strong />` },
  ],
  tabs: TABS,
  empty: { title: 'No top-ups.', text: 'A top-up invoice is asked for over the API.' },
};

export default function Topups() {
  return html`<${ListPage} spec=${TOPUPS} />`;
}
