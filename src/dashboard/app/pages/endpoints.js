// Addresses that usage is sent to, signed.

import { html } from '../vendor/preact.js';
import { ListPage } from '../parts/list.js';
import { Ago, Status } from '../parts/value.js';

const ENDPOINTS = {
  page: 'endpoints',
  title: 'Usage',
  label: 'Inbound endpoints',
  field: 'webhookEndpoints',
  node: 'id description status url createdAt rotatedAt',
  columns: [
    { label: 'Endpoint', show: (row) => row.description ?? `#${row.id}` },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Address', kind: 'wide', show: (row) => html`<code>${row.url}</code>` },
    { label: 'Secret of', kind: 'middle', show: (row) => html`<${Ago} at=${row.rotatedAt ?? row.createdAt} />` },
  ],
  tabs: [['metrics', 'Metrics'], ['endpoints', 'Inbound endpoints']],
  empty: { title: 'No inbound endpoints.', text: 'One is made over the API: POST /usage/v1/webhook-endpoints.' },
};

export default function Endpoints() {
  return html`<${ListPage} spec=${ENDPOINTS} />`;
}
