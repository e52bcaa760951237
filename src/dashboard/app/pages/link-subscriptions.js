// Subscriptions by payment link.

import { html } from '../vendor/preact.js';
import { words } from '../lib/format.js';
import { go, path } from '../lib/route.js';
import { CURRENCIES } from '../parts/drafting.js';
import { ListPage } from '../parts/list.js';
import { Day, Money, Status } from '../parts/value.js';
import { TABS } from './links.js';

const NEW = {
  label: 'New subscription',
  main: true,
  field: 'createLinkSubscription',
  title: 'New subscription by payment link',
  about: 'One buyer signs it at its page, with a card that is kept and charged on the first day of each term.',
  fields: [
    { name: 'title', label: 'What is sold', required: true, most: 128 },
    { name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: CURRENCIES, value: 'EUR' },
    { name: 'amountMinor', label: 'Amount of a term', kind: 'money', currency: (values) => values.currency, required: true },
    { name: 'frequency', label: 'Charged', kind: 'choice', required: true, choices: ['weekly', 'monthly', 'quarterly', 'semiannual', 'annual'], value: 'monthly' },
    { name: 'trialDays', label: 'Free days at the beginning', kind: 'whole', about: 'The card is verified, and charged for the first time after them.' },
    { name: 'installments', label: 'Instalments in all', kind: 'whole', about: 'It is completed once they are paid. Without a number it goes on until it is cancelled.' },
    { name: 'commitmentTerms', label: 'Terms before the buyer may cancel', kind: 'whole', about: 'You may cancel at any time.' },
    { name: 'recipientEmail', label: 'The buyer’s e-mail', kind: 'email' },
  ],
  done: 'The subscription is made: hand its page to the buyer.',
  after: (made) => go(path('link-subscriptions', made.id)),
};

const SUBSCRIPTIONS = {
  page: 'link-subscriptions',
  title: 'Payment links',
  label: 'Subscriptions by payment link',
  field: 'linkSubscriptions',
  node: 'id title status amountMinor currency frequency installments termsPaid nextChargeOn',
  watch: 'Subscription|Payment',
  href: (row) => path('link-subscriptions', row.id),
  filters: [{ name: 'status', label: 'Status', choices: ['pending', 'trialing', 'active', 'past_due', 'cancelled', 'completed'] }],
  columns: [
    { label: 'Subscription', show: (row) => row.title },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Next charge', kind: 'middle', show: (row) => html`<${Day} on=${row.nextChargeOn} />` },
    { label: 'Paid terms', kind: 'number middle', show: (row) => `${row.termsPaid}${row.installments ? ` of ${row.installments}` : ''}` },
    { label: 'Amount', kind: 'number', show: (row) => html`<${Money} minor=${row.amountMinor} currency=${row.currency} strong /> <span class="soft">${words(row.frequency).toLowerCase()}</span>` },
  ],
  tabs: TABS,
  actions: [NEW],
  empty: { title: 'No subscriptions by payment link yet.', text: 'A subscription is a page at which one buyer signs it with a card.' },
};

export default function LinkSubscriptions() {
  return html`<${ListPage} spec=${SUBSCRIPTIONS} />`;
}
