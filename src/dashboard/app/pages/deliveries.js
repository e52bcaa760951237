// What was sent to webhooks.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Ago, Status, To } from '../parts/value.js';
import { TABS } from './webhooks.js';

export const DELIVERIES = {
  page: 'deliveries',
  title: 'Webhooks',
  label: 'Deliveries',
  field: 'deliveries',
  node: 'id eventType sequence status attempts lastStatus lastError createdAt webhookId',
  watch: '.',
  href: (row) => path('deliveries', row.id),
  filters: [
    { name: 'status', label: 'Status', choices: ['pending', 'delivered', 'failed'] },
    { name: 'eventType', label: 'Event type', example: 'InvoicePaid' },
    { name: 'webhookId', label: 'Webhook', example: 'id' },
  ],
  columns: [
    { label: 'Event', show: (row) => row.eventType },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Answer', kind: 'middle', show: (row) => row.lastStatus ?? row.lastError },
    { label: 'Webhook', kind: 'wide', show: (row) => html`<${To} page="webhooks" id=${row.webhookId} />` },
    { label: 'When', kind: 'middle', show: (row) => html`<${Ago} at=${row.createdAt} />` },
    { label: 'Tries', kind: 'number', show: (row) => row.attempts },
  ],
  tabs: TABS,
  empty: { title: 'Nothing was sent yet.', text: 'Each event is sent to each webhook that wants it, and again until it is taken.' },
};

export default function Deliveries() {
  return html`<${ListPage} spec=${DELIVERIES} />`;
}
