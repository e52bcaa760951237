// Networks that deliveries may go to.

import { html } from '../vendor/preact.js';
import { Actions } from '../parts/form.js';
import { ListPage } from '../parts/list.js';
import { Day } from '../parts/value.js';
import { TABS } from './webhooks.js';

const NEW = {
  label: 'Allow a network',
  main: true,
  field: 'allowNetwork',
  fields: [
    { name: 'cidr', label: 'Network', required: true, example: '203.0.113.0/24', about: 'Of IPv4 or IPv6; an address stands for itself alone.' },
    { name: 'description', label: 'Description', most: 256 },
  ],
  done: 'The network is allowed.',
};

const remove = (entry) => ({
  label: 'Remove', danger: true, field: 'disallowNetwork', title: `Take ${entry.cidr} from the list`,
  about: 'Nothing is delivered there any more, unless the list becomes empty.',
  input: () => ({ entryId: entry.id }), reads: 'deleted', done: 'The network is taken from the list.',
});

const ALLOWLIST = {
  page: 'allowlist',
  title: 'Webhooks',
  label: 'Allowlist',
  about: 'With networks on the list, deliveries go into them alone. None opens what the operator keeps shut.',
  field: 'allowlist',
  node: 'id cidr description createdAt',
  columns: [
    { label: 'Network', show: (row) => html`<code>${row.cidr}</code>` },
    { label: 'Description', show: (row) => row.description },
    { label: 'Since', kind: 'middle', show: (row) => html`<${Day} on=${row.createdAt} />` },
    { label: html`<span class="hidden">Actions</span>`, kind: 'number', show: (row, again) => html`<${Actions} small of=${[remove(row)]} done=${again} />` },
  ],
  tabs: TABS,
  actions: [NEW],
  empty: { title: 'No networks.', text: 'Deliveries go to every address that the operator allows.' },
};

export default function Allowlist() {
  return html`<${ListPage} spec=${ALLOWLIST} />`;
}
