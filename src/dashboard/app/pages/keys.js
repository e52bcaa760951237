// API keys.

import { html } from '../vendor/preact.js';
import { endOfDay, words } from '../lib/format.js';
import { useMay } from '../lib/who.js';
import { Actions, showSecret } from '../parts/form.js';
import { ListPage } from '../parts/list.js';
import { Empty } from '../parts/state.js';
import { Ago, Code, Day } from '../parts/value.js';

const SCOPES = ['billing:read', 'billing:write', 'usage:write', 'payments:read', 'payments:write'];
// The secret of a key that the same form has made before was in the answer that was lost.
const show = (made) => made.secret && showSecret(`Key ${made.apiKey.name}`, 'It is shown once; keep it where your programs find it.', made.secret);

const NEW = {
  label: 'New key',
  main: true,
  field: 'createApiKey',
  fields: [
    { name: 'name', label: 'Name', required: true, example: 'the shop' },
    { name: 'scopes', label: 'What it opens', kind: 'some', required: true, choices: SCOPES, labels: Object.fromEntries(SCOPES.map((scope) => [scope, scope])), value: ['billing:read'], about: 'Who may write may read the same.' },
    { name: 'expiresAt', label: 'Ends on', kind: 'date' },
  ],
  input: ({ expiresAt, ...values }) => ({ ...values, expiresAt: endOfDay(expiresAt) }),
  reads: 'secret apiKey { name }',
  done: (made) => (made.secret ? 'The key is made.' : 'The key was made before, and its secret can be shown no more: replace the key.'),
  after: show,
};

const KEYS = {
  page: 'keys',
  title: 'API keys',
  label: 'API keys',
  field: 'apiKeys',
  node: 'id name scopes last4 mode createdAt lastUsedAt expiresAt',
  whole: true,
  columns: [
    { label: 'Key', show: (row) => html`${row.name} <${Code}>…${row.last4}</${Code}>` },
    { label: 'Opens', kind: 'wide', show: (row) => (row.scopes.length === SCOPES.length ? 'all' : row.scopes.join(', ')) },
    { label: 'Mode', kind: 'wide', show: (row) => words(row.mode) },
    { label: 'Used', kind: 'middle', show: (row) => (row.lastUsedAt ? html`<${Ago} at=${row.lastUsedAt} />` : 'never') },
    { label: 'Ends', kind: 'middle', show: (row) => (row.expiresAt ? html`<${Day} on=${row.expiresAt} />` : 'never') },
    {
      label: html`<span class="hidden">Actions</span>`, kind: 'number',
      show: (row, again) => html`<${Actions} small of=${[
        { label: 'Replace', field: 'rotateApiKey', title: `Replace ${row.name}`, fields: [{ name: 'overlapHours', label: 'Hours that the old one goes on', kind: 'whole', required: true, value: '24', about: 'From 0 to 168.' }], input: (values) => ({ id: row.id, ...values }), reads: 'secret apiKey { name }', done: 'There is a new key.', after: show },
        { label: 'Revoke', danger: true, field: 'revokeApiKey', title: `Revoke ${row.name}`, about: 'Whatever uses it is refused at once.', input: () => ({ id: row.id }), done: 'The key is revoked.' },
      ]} done=${again} />`,
    },
  ],
  actions: [NEW],
  empty: { title: 'No keys.', text: 'A key is what a program of yours signs in with.' },
};

export default function Keys() {
  const may = useMay();
  if (!may('apiKeys', { reads: true })) return html`<header class="head"><h1>API keys</h1></header><section class="panel flush"><${Empty} title="Keys are for owners and developers." /></section>`;
  return html`<${ListPage} spec=${KEYS} />`;
}
