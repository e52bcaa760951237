// Payees, and vendors where the account has them.

import { html } from '../vendor/preact.js';
import { go, path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Day, Status, Word } from '../parts/value.js';

export const TABS = [['payees', 'Payees'], ['vendors', 'Marketplace vendors']];

const NEW = {
  label: 'New payee',
  main: true,
  field: 'createPayee',
  fields: [
    { name: 'displayName', label: 'Name', required: true, most: 128 },
    { name: 'role', label: 'Role', kind: 'choice', required: true, choices: ['contractor', 'tax'], value: 'contractor' },
    { name: 'email', label: 'E-mail', kind: 'email' },
    { name: 'businessName', label: 'Business', most: 255 },
  ],
  done: 'The payee is made; money is paid out once it is verified.',
  after: (made) => go(path('payees', made.id)),
};

const PAYEES = {
  page: 'payees',
  title: 'Payees',
  label: 'Payees',
  field: 'payees',
  node: 'id displayName businessName email role archived createdAt verification { status }',
  watch: 'KYB|Payee',
  href: (row) => path('payees', row.id),
  columns: [
    { label: 'Payee', show: (row) => row.displayName },
    { label: 'Verification', show: (row) => (row.archived ? html`<${Status} of="archived" />` : html`<${Status} of=${row.verification.status} />`) },
    { label: 'Business', kind: 'wide', show: (row) => row.businessName },
    { label: 'E-mail', kind: 'middle', show: (row) => row.email },
    { label: 'Role', kind: 'middle', show: (row) => html`<${Word} of=${row.role} />` },
    { label: 'Since', kind: 'wide', show: (row) => html`<${Day} on=${row.createdAt} />` },
  ],
  tabs: TABS,
  actions: [NEW],
  empty: { title: 'No payees yet.', text: 'A payee gets a share of payments, into a wallet of its own.' },
};

export default function Payees() {
  return html`<${ListPage} spec=${PAYEES} />`;
}
