// One payment link.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { major } from '../lib/format.js';
import { RecordPage } from '../parts/record.js';
import { Day, Money, Status, Time } from '../parts/value.js';
import { fields, input } from './links.js';

function make(link) {
  const active = link.status === 'active';
  const of = (values) => ({ paymentLinkId: link.id, ...values });
  const day = link.expiresAt?.slice(0, 10);
  // An end that is left alone keeps its time of day.
  const edited = (values) => of({ ...input(values), ...(day && values.expiresAt === day && { expiresAt: link.expiresAt }) });
  return {
    title: link.title,
    status: html`<${Status} of=${link.status} />`,
    amount: html`<${Money} minor=${link.amountMinor} currency=${link.currency} />`,
    actions: [
      { label: 'Open the page', href: link.url, outside: true },
      { label: 'Edit', field: 'updatePaymentLink', when: active, title: 'Edit the link', fields: fields(), first: { ...link, amountMinor: major(link.amountMinor, link.currency), expiresAt: day }, input: edited, done: 'The link is changed.' },
      { label: 'Cancel', danger: true, field: 'cancelPaymentLink', when: active, title: 'Cancel the link', about: 'Nobody can pay by it any more.', input: () => of({}), done: 'The link is cancelled.' },
    ],
    facts: [
      ['Address', html`<a href=${link.url} target="_blank" rel="noopener">${link.url}</a>`],
      ['Use', link.singleUse ? 'for one payment' : 'for any number'],
      ['Paid', link.usageCount],
      ['Mailed to', link.recipientEmail],
      link.expiresAt && ['Ends', html`<${Day} on=${link.expiresAt} />`],
      ['Made', html`<${Time} at=${link.createdAt} />`],
    ],
  };
}

export default function Link({ id }) {
  return html`<${RecordPage} query=${`{ paymentLink(id: ${literal(id)}) { id title status amountMinor currency singleUse usageCount expiresAt recipientEmail url createdAt } }`} of="paymentLink" watch="PaymentLink|Payment" list=${{ page: 'links', title: 'Payment links' }} make=${make} />`;
}
