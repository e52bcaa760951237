// Stored credit of all contracts.

import { html } from '../vendor/preact.js';
import { ListPage } from '../parts/list.js';
import { Money, Word } from '../parts/value.js';

const CREDITS = {
  page: 'credits',
  title: 'Credits',
  label: 'Balances',
  about: 'What is stored for customers over all contracts. The movements stand on each contract, where credit is granted too.',
  field: 'credits',
  node: 'creditType currency balanceMinor isLiability',
  whole: true,
  watch: 'Credit',
  csv: 'credits',
  columns: [
    { label: 'Sort', show: (row) => html`<${Word} of=${row.creditType} />` },
    { label: 'Currency', show: (row) => row.currency },
    { label: 'Owed', kind: 'middle', show: (row) => (row.isLiability ? 'paid for: a liability' : 'a promise') },
    { label: 'Balance', kind: 'number', show: (row) => html`<${Money} minor=${row.balanceMinor} currency=${row.currency} strong />` },
  ],
  empty: { title: 'No credit is stored.', text: 'Grant some on a contract, under Credit: it pays its invoices when they are issued.' },
};

export default function Credits() {
  return html`<${ListPage} spec=${CREDITS} />`;
}
