// Customers.

import { html } from '../vendor/preact.js';
import { go, path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Day, Word } from '../parts/value.js';

const NEW = {
  label: 'New customer',
  main: true,
  field: 'createCustomer',
  fields: [
    { name: 'email', label: 'E-mail', kind: 'email', required: true },
    { name: 'name', label: 'Name', most: 128 },
    { name: 'companyName', label: 'Company', most: 128 },
    { name: 'companyCountry', label: 'Country', example: 'DE', most: 2 },
    { name: 'taxId', label: 'VAT id', example: 'DE123456788', most: 64 },
    { name: 'customerRef', label: 'Your own reference', most: 128 },
  ],
  done: 'The customer is there.',
  after: (made) => go(path('customers', made.id)),
};

const CUSTOMERS = {
  page: 'customers',
  title: 'Customers',
  label: 'Customers',
  field: 'customers',
  node: 'id email name companyName companyCountry customerRef customerType createdAt savedCards { id }',
  csv: 'customers',
  href: (row) => path('customers', row.id),
  filters: [{ name: 'email', label: 'E-mail', example: 'ada@example.com' }, { name: 'customerRef', label: 'Your reference' }],
  columns: [
    { label: 'Customer', kind: 'prose', show: (row) => row.companyName ?? row.name ?? row.email },
    { label: 'E-mail', kind: 'prose', show: (row) => row.email },
    { label: 'Sort', kind: 'wide', show: (row) => html`<${Word} of=${row.customerType} />` },
    { label: 'Country', kind: 'wide', show: (row) => row.companyCountry },
    { label: 'Cards', kind: 'number middle', show: (row) => row.savedCards.length },
    { label: 'Since', kind: 'middle', show: (row) => html`<${Day} on=${row.createdAt} />` },
  ],
  actions: [NEW],
  empty: { title: 'No customers yet.', text: 'A customer is whom a contract is made with.' },
};

export default function Customers() {
  return html`<${ListPage} spec=${CUSTOMERS} />`;
}
