// Networks that callbacks of payouts may go to.

import { html } from '../vendor/preact.js';
import { ListPage } from '../parts/list.js';
import { Day } from '../parts/value.js';
import { TABS } from './webhooks.js';

const ALLOWLIST = {
  page: 'allowlist',
  title: 'Webhooks',
  label: 'Allowlist',
  about: 'Networks that the callback of a payout may go to. Entries are made over the API.',
  field: 'allowlist',
  node: 'id cidr description createdAt',
  columns: [
    { label: 'Network', show: (row) => html`<code>${row.cidr}</code>` },
    { label: 'Description', show: (row) => row.description },
    { label: 'Since', kind: 'middle', show: (row) => html`<${Day} on=${row.createdAt} />` },
  ],
  tabs: TABS,
  empty: { title: 'No networks.', text: 'POST /payments-api/v1/webhook-allowlist adds one.' },
};

export default function Allowlist() {
  return html`<${ListPage} spec=${ALLOWLIST} />`;
}
