// Promo codes.

import { html } from '../vendor/preact.js';
import { endOfDay, percent } from '../lib/format.js';
import { CURRENCIES } from '../parts/drafting.js';
import { ListPage } from '../parts/list.js';
import { Day, Money, Status } from '../parts/value.js';
import { TABS } from './links.js';

const NEW = {
  label: 'New code',
  main: true,
  field: 'createPromoCode',
  title: 'New promo code',
  fields: [
    { name: 'code', label: 'Code', required: true, example: 'SPRING-26', most: 40 },
    { name: 'kind', label: 'Takes off', kind: 'choice', required: true, choices: ['part', 'amount'], value: 'part', labels: { part: 'a part', amount: 'an amount' } },
    { name: 'percentBps', label: 'Percent', kind: 'percent', required: true, when: (values) => values.kind === 'part' },
    { name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: CURRENCIES, value: 'EUR', when: (values) => values.kind === 'amount' },
    { name: 'amountOffMinor', label: 'Amount', kind: 'money', currency: (values) => values.currency, required: true, when: (values) => values.kind === 'amount' },
    { name: 'maxRedemptions', label: 'How often at most', kind: 'whole' },
    { name: 'expiresAt', label: 'Ends on', kind: 'date' },
    { name: 'paymentLinkIds', label: 'Links that take it', kind: 'list', example: 'their ids', about: 'All of them where none is named.' },
  ],
  input: ({ kind, expiresAt, ...values }) => ({ ...values, expiresAt: endOfDay(expiresAt) }),
  done: 'The code is made.',
};

const CODES = {
  page: 'promo-codes',
  title: 'Payment links',
  label: 'Promo codes',
  field: 'promoCodes',
  node: 'id code status percentBps amountOffMinor currency maxRedemptions redemptions expiresAt',
  watch: 'PromoCode|Payment',
  filters: [{ name: 'status', label: 'Status', choices: ['active', 'expired', 'used_up'] }],
  columns: [
    { label: 'Code', show: (row) => html`<code>${row.code}</code>` },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Ends', kind: 'middle', show: (row) => html`<${Day} on=${row.expiresAt} />` },
    { label: 'Redeemed', kind: 'number middle', show: (row) => `${row.redemptions}${row.maxRedemptions ? ` of ${row.maxRedemptions}` : ''}` },
    { label: 'Takes off', kind: 'number', show: (row) => (row.percentBps ? percent(row.percentBps) : html`<${Money} minor=${row.amountOffMinor} currency=${row.currency} />`) },
  ],
  tabs: TABS,
  actions: [NEW],
  empty: { title: 'No promo codes yet.', text: 'A buyer types one on the page of a payment link.' },
};

export default function PromoCodes() {
  return html`<${ListPage} spec=${CODES} />`;
}
