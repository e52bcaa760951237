// Marketplace vendors.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Day, Status } from '../parts/value.js';
import { TABS } from './payees.js';

const VENDORS = {
  page: 'vendors',
  title: 'Payees',
  label: 'Vendors',
  field: 'vendors',
  node: 'id payeeId displayName email country payoutsEnabled createdAt verification { status }',
  watch: 'Vendor',
  href: (row) => path('payees', row.payeeId),
  columns: [
    { label: 'Vendor', show: (row) => row.displayName },
    { label: 'Verification', show: (row) => html`<${Status} of=${row.verification.status} tone=${row.verification.status === 'complete' ? 'good' : undefined} />` },
    { label: 'Country', kind: 'middle', show: (row) => row.country },
    { label: 'Payouts', show: (row) => (row.payoutsEnabled ? 'open' : 'closed') },
    { label: 'Since', kind: 'middle', show: (row) => html`<${Day} on=${row.createdAt} />` },
  ],
  tabs: TABS,
  empty: { title: 'No vendors.', text: 'A vendor is a payee that verifies itself; they are made over the API once the operator has opened them for the account.' },
};

export default function Vendors() {
  return html`<${ListPage} spec=${VENDORS} />`;
}
