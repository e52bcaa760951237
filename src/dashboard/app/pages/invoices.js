// Invoices, and their drafts.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Day, Money, Status, Word } from '../parts/value.js';
import { NEW_DRAFT } from '../parts/drafting.js';

export const TABS = [['invoices', 'Issued'], ['drafts', 'Drafts']];

export const INVOICES = {
  page: 'invoices',
  title: 'Invoices',
  label: 'Invoices',
  field: 'invoices',
  node: 'id invoiceNumber status invoiceType origin grandTotalMinor outstandingMinor currency issueDate dueDate billTo { name companyName email }',
  watch: 'Invoice|Credit',
  csv: 'invoices',
  href: (row) => path('invoices', row.id),
  filters: [
    { name: 'status', label: 'Status', choices: ['issued', 'sent', 'paid', 'overdue', 'voided', 'written_off'] },
    { name: 'origin', label: 'Bills', choices: ['recurring', 'usage', 'milestone', 'project', 'one_time', 'adhoc', 'marketplace'] },
    { name: 'invoiceType', label: 'Sort', choices: ['standard', 'credit_note', 'simplified', 'modified'] },
    { name: 'issuedFrom', label: 'Issued from', kind: 'date' },
    { name: 'issuedTo', label: 'Issued before', kind: 'date' },
    { name: 'contractId', label: 'Contract', example: 'id' },
  ],
  columns: [
    { label: 'Number', show: (row) => row.invoiceNumber ?? `#${row.id}` },
    { label: 'Customer', kind: 'middle prose', show: (row) => row.billTo.companyName ?? row.billTo.name ?? row.billTo.email },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Bills', kind: 'wide', show: (row) => (row.invoiceType === 'credit_note' ? 'Credit note' : html`<${Word} of=${row.origin} />`) },
    { label: 'Issued', kind: 'wide', show: (row) => html`<${Day} on=${row.issueDate} />` },
    { label: 'Due', kind: 'middle', show: (row) => html`<${Day} on=${row.dueDate} />` },
    { label: 'Open', kind: 'number wide', show: (row) => html`<${Money} minor=${row.outstandingMinor} currency=${row.currency} />` },
    { label: 'Total', kind: 'number', show: (row) => html`<${Money} minor=${row.grandTotalMinor} currency=${row.currency} strong />` },
  ],
  tabs: TABS,
  actions: [NEW_DRAFT],
  empty: { title: 'No invoices yet.', text: 'They are made by themselves when a term or a usage period of a contract is over; a draft is written by hand.' },
};

export default function Invoices() {
  return html`<${ListPage} spec=${INVOICES} />`;
}
