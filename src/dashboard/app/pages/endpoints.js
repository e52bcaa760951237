// Addresses that usage is sent to, signed.

import { html } from '../vendor/preact.js';
import { Actions, showSecret } from '../parts/form.js';
import { ListPage } from '../parts/list.js';
import { Ago, Status } from '../parts/value.js';

// It cannot be shown any more where the server's key was lost.
const addressOf = ({ url }) => (url ? html`<code>${url}</code>` : 'an address that can be shown no more');

// The secret of one that the same form has made before was in the answer that was lost.
const tell = (endpoint) => endpoint.secret && showSecret('Secret of the endpoint', html`What is sent to ${addressOf(endpoint)} is signed with it. It is shown once.`, endpoint.secret);

const NEW = {
  label: 'New endpoint',
  main: true,
  field: 'createUsageEndpoint',
  title: 'New inbound endpoint',
  about: 'An address for one sender of usage, with a secret to sign by.',
  fields: [{ name: 'description', label: 'Who sends', most: 256, example: 'The billing agent of the data centre' }],
  reads: 'id url secret',
  done: (made) => (made.secret ? 'The endpoint is there.' : 'The endpoint was made before, and its secret can be shown no more: give it a new one.'),
  after: tell,
};

const actionsOf = (endpoint) => {
  const input = () => ({ endpointId: endpoint.id });
  const when = endpoint.status === 'active';
  return [
    { label: 'New secret', field: 'rotateUsageEndpointSecret', when, about: 'What is signed with the old one is refused from then on.', input, reads: 'id url secret', done: 'There is a new secret.', after: tell },
    { label: 'Revoke', danger: true, field: 'revokeUsageEndpoint', when, title: 'Revoke the endpoint', about: 'Its address leads nowhere from then on, for ever.', input, done: 'It is revoked.' },
  ];
};

const ENDPOINTS = {
  page: 'endpoints',
  title: 'Usage',
  label: 'Inbound endpoints',
  field: 'webhookEndpoints',
  node: 'id description status url createdAt rotatedAt',
  columns: [
    { label: 'Endpoint', show: (row) => row.description ?? `#${row.id}` },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Address', kind: 'wide', show: addressOf },
    { label: 'Secret of', kind: 'middle', show: (row) => html`<${Ago} at=${row.rotatedAt ?? row.createdAt} />` },
    { label: html`<span class="hidden">Actions</span>`, kind: 'number', show: (row, again) => html`<${Actions} small of=${actionsOf(row)} done=${again} />` },
  ],
  tabs: [['metrics', 'Metrics'], ['endpoints', 'Inbound endpoints']],
  actions: [NEW],
  empty: { title: 'No inbound endpoints.', text: 'One is an address that a third party sends usage to, signed.' },
};

export default function Endpoints() {
  return html`<${ListPage} spec=${ENDPOINTS} />`;
}
