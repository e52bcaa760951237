// Drafts of invoices: written by hand, numbered and booked when they are issued.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Money, Time, Word } from '../parts/value.js';
import { NEW_DRAFT } from '../parts/drafting.js';
import { TABS } from './invoices.js';

const DRAFTS = {
  page: 'drafts',
  title: 'Invoices',
  label: 'Drafts',
  field: 'drafts',
  node: 'id origin invoiceType grandTotalMinor currency issuedAt contractId billTo { name companyName email }',
  watch: 'Invoice',
  href: (row) => path('drafts', row.id),
  filters: [{ name: 'contractId', label: 'Contract', example: 'id' }],
  columns: [
    { label: 'Draft', show: (row) => `#${row.id}` },
    { label: 'Customer', show: (row) => row.billTo.companyName ?? row.billTo.name ?? row.billTo.email },
    { label: 'Bills', kind: 'middle', show: (row) => html`<${Word} of=${row.origin} />` },
    { label: 'Written', kind: 'wide', show: (row) => html`<${Time} at=${row.issuedAt} />` },
    { label: 'Total', kind: 'number', show: (row) => html`<${Money} minor=${row.grandTotalMinor} currency=${row.currency} strong />` },
  ],
  tabs: TABS,
  actions: [NEW_DRAFT],
  empty: { title: 'No drafts.', text: 'A draft is an invoice that has no number yet: write one, look at it, then issue it.' },
};

export default function Drafts() {
  return html`<${ListPage} spec=${DRAFTS} />`;
}
