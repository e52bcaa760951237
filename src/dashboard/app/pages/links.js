// Payment links.

import { html } from '../vendor/preact.js';
import { endOfDay } from '../lib/format.js';
import { go, path } from '../lib/route.js';
import { CURRENCIES } from '../parts/drafting.js';
import { ListPage } from '../parts/list.js';
import { Day, Money, Status } from '../parts/value.js';

export const TABS = [['links', 'Links'], ['link-subscriptions', 'Subscriptions'], ['promo-codes', 'Promo codes']];

export const fields = () => [
  { name: 'title', label: 'What is sold', required: true, most: 128 },
  { name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: CURRENCIES, value: 'EUR' },
  { name: 'amountMinor', label: 'Amount', kind: 'money', currency: (values) => values.currency, required: true },
  { name: 'singleUse', label: 'For one payment only', kind: 'yes' },
  { name: 'expiresAt', label: 'Ends on', kind: 'date' },
  { name: 'recipientEmail', label: 'Mail it to', kind: 'email' },
];

export const input = ({ expiresAt, ...values }) => ({ ...values, singleUse: Boolean(values.singleUse), expiresAt: endOfDay(expiresAt) });

const LINKS = {
  page: 'links',
  title: 'Payment links',
  label: 'Payment links',
  field: 'paymentLinks',
  node: 'id title status amountMinor currency singleUse usageCount expiresAt createdAt',
  watch: 'PaymentLink|Payment',
  href: (row) => path('links', row.id),
  filters: [{ name: 'status', label: 'Status', choices: ['active', 'paid', 'expired', 'cancelled'] }],
  columns: [
    { label: 'Link', show: (row) => row.title },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Ends', kind: 'middle', show: (row) => html`<${Day} on=${row.expiresAt} />` },
    { label: 'Paid', kind: 'number middle', show: (row) => `${row.usageCount}${row.singleUse ? ' of 1' : ''}` },
    { label: 'Amount', kind: 'number', show: (row) => html`<${Money} minor=${row.amountMinor} currency=${row.currency} strong />` },
  ],
  tabs: TABS,
  actions: [{ label: 'New link', main: true, field: 'createPaymentLink', title: 'New payment link', fields: fields(), input, done: 'The link is made.', after: (made) => go(path('links', made.id)) }],
  empty: { title: 'No payment links yet.', text: 'A link is a page that takes a payment: hand it over, or have it mailed.' },
};

export default function Links() {
  return html`<${ListPage} spec=${LINKS} />`;
}
