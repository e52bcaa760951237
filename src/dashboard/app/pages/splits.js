// Split rules.

import { html } from '../vendor/preact.js';
import { go, path } from '../lib/route.js';
import { ListPage } from '../parts/list.js';
import { RULE } from '../parts/splitting.js';
import { Status, Word } from '../parts/value.js';

const SPLITS = {
  page: 'splits',
  title: 'Splits',
  label: 'Split rules',
  about: 'How a payment is shared that does not say so itself. One rule is in force at a time; it is put in force with the receipt of a preview.',
  field: 'splitRules',
  node: 'id name active version versionInForce allocationMode amountBase lines { payeeId }',
  whole: true,
  href: (row) => path('splits', row.id),
  columns: [
    { label: 'Rule', show: (row) => row.name },
    { label: 'Status', show: (row) => (row.active ? html`<${Status} of="active" />` : html`<${Status} of="not in force" tone="plain" />`) },
    { label: 'Shares', kind: 'middle', show: (row) => html`<${Word} of=${row.allocationMode} />` },
    { label: 'Of', kind: 'wide', show: (row) => html`<${Word} of=${row.amountBase} />` },
    { label: 'Parties', kind: 'number middle', show: (row) => row.lines.length },
    { label: 'Version', kind: 'number', show: (row) => (row.versionInForce && row.versionInForce !== row.version ? `${row.version} (${row.versionInForce} in force)` : row.version) },
  ],
  actions: [{ ...RULE(null), after: (made) => go(path('splits', made.id)) }],
  empty: { title: 'No split rules.', text: 'Without one, all of a payment is yours unless it states its own distribution. One in force shares payments begun over the API, and none of payment links or invoices.' },
};

export default function Splits() {
  return html`<${ListPage} spec=${SPLITS} />`;
}
