// Subscriptions that are taken out on the page of a link.

import { html } from '../vendor/preact.js';
import { CURRENCIES } from '../parts/drafting.js';
import { Actions } from '../parts/form.js';
import { ListPage } from '../parts/list.js';
import { Money, Status, Word } from '../parts/value.js';
import { TABS } from './links.js';

const NEW = {
  label: 'New subscription link',
  main: true,
  field: 'createLinkSubscription',
  fields: [
    { name: 'title', label: 'What is sold', required: true, most: 128 },
    { name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: CURRENCIES, value: 'EUR' },
    { name: 'amountMinor', label: 'Amount of a term', kind: 'money', currency: (values) => values.currency, required: true },
    { name: 'frequency', label: 'Term', kind: 'choice', required: true, choices: ['weekly', 'monthly', 'quarterly', 'semiannual', 'annual'], value: 'monthly' },
    { name: 'trialDays', label: 'Days of trial', kind: 'whole' },
    { name: 'installments', label: 'Instalments', kind: 'whole', about: 'It is complete when so many are paid; without them it goes on.' },
    { name: 'commitmentTerms', label: 'Terms that the buyer is bound for', kind: 'whole' },
    { name: 'recipientEmail', label: 'Mail it to', kind: 'email' },
  ],
  done: 'The subscription link is made.',
};

const SUBSCRIPTIONS = {
  page: 'link-subscriptions',
  title: 'Payment links',
  label: 'Link subscriptions',
  field: 'linkSubscriptions',
  node: 'id title status amountMinor currency frequency url',
  watch: 'Subscription|Payment',
  columns: [
    { label: 'Subscription', show: (row) => html`<a href=${row.url} target="_blank" rel="noopener">${row.title}</a>` },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'Term', kind: 'middle', show: (row) => html`<${Word} of=${row.frequency} />` },
    { label: 'Amount', kind: 'number', show: (row) => html`<${Money} minor=${row.amountMinor} currency=${row.currency} strong />` },
    { label: html`<span class="hidden">Actions</span>`, kind: 'number', show: (row, again) => html`<${Actions} small done=${again} of=${[{ label: 'Cancel', danger: true, field: 'cancelLinkSubscription', when: !['cancelled', 'completed'].includes(row.status), title: 'Cancel the subscription', input: () => ({ linkSubscriptionId: row.id }), done: 'It is cancelled.' }]} />` },
  ],
  tabs: TABS,
  actions: [NEW],
  empty: { title: 'No subscriptions by link yet.', text: 'A buyer opens the link, gives a card, and is charged each term.' },
};

export default function LinkSubscriptions() {
  return html`<${ListPage} spec=${SUBSCRIPTIONS} />`;
}
