// Contracts.

import { html } from '../vendor/preact.js';
import { isoDay } from '../lib/format.js';
import { go, path } from '../lib/route.js';
import { CURRENCIES } from '../parts/drafting.js';
import { ListPage } from '../parts/list.js';
import { Day, Status } from '../parts/value.js';

export const newContract = (customer) => ({
  label: 'New contract',
  main: true,
  field: 'createContract',
  about: 'It begins as a draft; an amendment puts it in force.',
  fields: [
    !customer && { name: 'sellerCustomerId', label: 'Customer', required: true, example: 'its id', about: 'The number of one of your customers.' },
    { name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: CURRENCIES, value: 'EUR' },
    { name: 'startDate', label: 'First day', kind: 'date', required: true, value: isoDay(Date.now()) },
    { name: 'endDate', label: 'Last day', kind: 'date' },
  ].filter(Boolean),
  input: (values) => ({ sellerCustomerId: customer, ...values }),
  reads: 'id contractNumber',
  done: (made) => `Contract ${made.contractNumber ?? made.id} is made.`,
  after: (made) => go(path('contracts', made.id)),
});

const CONTRACTS = {
  page: 'contracts',
  title: 'Contracts',
  label: 'Contracts',
  field: 'contracts',
  node: 'id contractNumber customerName customerCompanyName sellerCustomerId status currency startDate endDate version',
  watch: 'Contract|Subscription|Invoice',
  csv: 'contracts',
  href: (row) => path('contracts', row.id),
  columns: [
    { label: 'Number', show: (row) => row.contractNumber },
    { label: 'Customer', kind: 'prose', show: (row) => row.customerCompanyName ?? row.customerName ?? `customer ${row.sellerCustomerId}` },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Currency', kind: 'wide', show: (row) => row.currency },
    { label: 'From', kind: 'middle', show: (row) => html`<${Day} on=${row.startDate} />` },
    { label: 'To', kind: 'wide', show: (row) => html`<${Day} on=${row.endDate} />` },
    { label: 'Version', kind: 'number middle', show: (row) => row.version },
  ],
  actions: [newContract()],
  empty: { title: 'No contracts yet.', text: 'A contract holds what a customer has subscribed to, uses and is billed for. Make a customer, then a contract with them.' },
};

export default function Contracts() {
  return html`<${ListPage} spec=${CONTRACTS} />`;
}
