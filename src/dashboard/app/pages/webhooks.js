// Webhooks: where events are sent to.

import { html } from '../vendor/preact.js';
import { go, path } from '../lib/route.js';
import { showSecret } from '../parts/form.js';
import { ListPage } from '../parts/list.js';
import { Day, Status } from '../parts/value.js';

export const TABS = [['webhooks', 'Endpoints'], ['deliveries', 'Deliveries'], ['allowlist', 'Allowlist']];

export const FIELDS = [
  { name: 'webhookUrl', label: 'Address', kind: 'url', required: true, example: 'https://example.com/hooks' },
  { name: 'eventTypes', label: 'Event types', kind: 'list', about: 'Separated by spaces, such as InvoicePaid InvoiceOverdue. All of them where none is named.' },
  { name: 'ordered', label: 'The events of an object in their order', kind: 'yes', value: true },
];

const NEW = {
  label: 'New webhook',
  main: true,
  field: 'createWebhook',
  fields: FIELDS,
  reads: 'id secretKey',
  done: 'The webhook is there.',
  after: (made) => {
    go(path('webhooks', made.id));
    if (made.secretKey) showSecret('Secret of the webhook', 'What is sent is signed with it. It is shown once.', made.secretKey);
  },
};

const WEBHOOKS = {
  page: 'webhooks',
  title: 'Webhooks',
  label: 'Webhooks',
  field: 'webhooks',
  node: 'id webhookUrl status eventTypes ordered createdAt',
  href: (row) => path('webhooks', row.id),
  columns: [
    { label: 'Address', show: (row) => row.webhookUrl },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Events', kind: 'middle', show: (row) => (row.eventTypes.length > 1 ? `${row.eventTypes.length} types` : row.eventTypes[0] ?? 'all') },
    { label: 'Order', kind: 'wide', show: (row) => (row.ordered ? 'kept' : 'as they come') },
    { label: 'Since', kind: 'wide', show: (row) => html`<${Day} on=${row.createdAt} />` },
  ],
  tabs: TABS,
  actions: [NEW],
  empty: { title: 'No webhooks yet.', text: 'A webhook is an address of yours that is told of every event, signed.' },
};

export default function Webhooks() {
  return html`<${ListPage} spec=${WEBHOOKS} />`;
}
