// Usage that could not be taken.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Ago, Status } from '../parts/value.js';

const LETTERS = {
  page: 'dead-letters',
  title: 'Dead letters',
  label: 'Dead letters',
  about: 'Events from files and inbound endpoints that could not be counted. Put right what is wrong, then try them again.',
  field: 'deadLetters',
  node: 'id source reason status attempts createdAt lastAttemptAt',
  watch: 'Usage',
  href: (row) => path('dead-letters', row.id),
  filters: [{ name: 'status', label: 'Status', choices: ['parked', 'redriven', 'discarded'] }],
  columns: [
    { label: 'Letter', show: (row) => `#${row.id}` },
    { label: 'Why', show: (row) => row.reason },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'From', kind: 'middle', show: (row) => row.source },
    { label: 'Came', kind: 'middle', show: (row) => html`<${Ago} at=${row.createdAt} />` },
    { label: 'Tries', kind: 'number wide', show: (row) => row.attempts },
  ],
  empty: { title: 'No dead letters.', text: 'All events that came were counted or refused at once.' },
};

export default function DeadLetters() {
  return html`<${ListPage} spec=${LETTERS} />`;
}
