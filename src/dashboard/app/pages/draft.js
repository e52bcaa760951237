// A draft: looked at, then issued.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { go, path } from '../lib/route.js';
import { Lines, Sums } from '../parts/lines.js';
import { Panel, RecordPage } from '../parts/record.js';
import { Day, Money, Status, To } from '../parts/value.js';
import { DOCUMENT } from './invoice.js';

function make(draft) {
  const issued = (answer) => go(path('invoices', answer.id));
  return {
    title: `Draft ${draft.id}`,
    status: html`<${Status} of="draft" />`,
    lead: [draft.billTo.companyName ?? draft.billTo.name, draft.billTo.email].filter(Boolean).join(', '),
    amount: html`<${Money} minor=${draft.grandTotalMinor} currency=${draft.currency} />`,
    actions: [{ label: 'Issue', main: true, field: 'issueDraftInvoice', about: 'It gets the next number of your series and can only be corrected by a credit note afterwards.', fields: [{ name: 'send', label: `Send it to ${draft.billTo.email}`, kind: 'yes', value: true }, ...(draft.dueDate ? [{ name: 'dueDate', label: 'Due', kind: 'date', about: `Otherwise ${draft.dueDate}.` }] : [])], input: ({ send, dueDate }) => ({ invoiceId: draft.id, send: Boolean(send), dueDate }), reads: 'id invoiceNumber', done: (made) => `Issued as ${made.invoiceNumber}.`, after: issued }],
    facts: [
      ['Contract', html`<${To} page="contracts" id=${draft.contractId}>${draft.contractNumber ?? draft.contractId}</${To}>`],
      ['Due', html`<${Day} on=${draft.dueDate} />`],
      ['Note', draft.memo],
    ],
    tabs: [{ name: 'lines', label: 'Lines', show: () => html`<${Panel} flush><${Lines} of=${draft} lines=${draft.lines ?? []} /><${Sums} of=${draft} /></${Panel}>` }],
  };
}

export default function Draft({ id }) {
  return html`<${RecordPage} query=${`{ draft(id: ${literal(id)}) { ${DOCUMENT} } }`} of="draft" list=${{ page: 'drafts', title: 'Drafts' }} make=${make} />`;
}
