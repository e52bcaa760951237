// What is metered: the registered metrics, and the usage of a contract.

import { html } from '../vendor/preact.js';
import { path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { Code, Word } from '../parts/value.js';

const REGISTER = {
  label: 'Register a metric',
  main: true,
  field: 'registerMetric',
  fields: [
    { name: 'name', label: 'Name', required: true, example: 'api.calls' },
    { name: 'aggregation', label: 'How a period adds up', kind: 'choice', required: true, choices: ['sum', 'max', 'min', 'last', 'count', 'count_unique'], value: 'sum' },
    { name: 'unit', label: 'Unit', example: 'call' },
    { name: 'uniqueKey', label: 'Key that is counted once', required: true, when: (values) => values.aggregation === 'count_unique', about: 'A name of the metadata of events.' },
    { name: 'description', label: 'Description' },
  ],
  reads: 'name',
  done: (made) => `${made.name} is registered.`,
};

const METRICS = {
  page: 'metrics',
  title: 'Usage',
  label: 'Metrics',
  about: 'What you meter. Usage, limits and charts stand on each contract, under Usage; a metric leads to the contracts that use it.',
  field: 'metrics',
  node: 'name version aggregation unit uniqueKey description',
  whole: true,
  href: (row) => path('metrics', row.name),
  columns: [
    { label: 'Metric', show: (row) => row.name },
    { label: 'Adds up', show: (row) => html`<${Word} of=${row.aggregation} />` },
    { label: 'Unit', kind: 'middle', show: (row) => row.unit },
    { label: 'Unique by', kind: 'wide', show: (row) => html`<${Code}>${row.uniqueKey}</${Code}>` },
    { label: 'Description', kind: 'wide', show: (row) => row.description },
    { label: 'Version', kind: 'number', show: (row) => row.version },
  ],
  tabs: [['metrics', 'Metrics'], ['endpoints', 'Inbound endpoints']],
  actions: [REGISTER],
  empty: { title: 'Nothing is metered yet.', text: 'Register a metric, put its price on a contract, and send events.' },
};

export default function Metrics() {
  return html`<${ListPage} spec=${METRICS} />`;
}
