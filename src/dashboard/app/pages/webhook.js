// One webhook and what was sent to it.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { go, path } from '../lib/route.js';
import { showSecret } from '../parts/form.js';
import { Listing } from '../parts/list.js';
import { Panel, RecordPage } from '../parts/record.js';
import { Status, Time } from '../parts/value.js';
import { DELIVERIES } from './deliveries.js';
import { FIELDS } from './webhooks.js';

function make(webhook) {
  const of = (values) => ({ webhookId: webhook.id, ...values });
  const active = webhook.status === 'active';
  return {
    title: webhook.webhookUrl,
    status: html`<${Status} of=${webhook.status} />`,
    actions: [
      { label: 'Edit', field: 'updateWebhook', title: 'Edit the webhook', fields: FIELDS, first: { ...webhook, eventTypes: webhook.eventTypes.join(' ') }, input: ({ eventTypes = [], ordered, ...values }) => of({ ...values, eventTypes, ordered: Boolean(ordered) }), done: 'The webhook is changed.' },
      { label: active ? 'Disable' : 'Enable', field: 'updateWebhook', about: active ? 'Nothing is sent to it until it is enabled again.' : 'It is told of events from now on.', input: () => of({ status: active ? 'disabled' : 'active' }), done: active ? 'It is disabled.' : 'It is enabled.' },
      { label: 'Send failed ones again', field: 'redeliverFailed', input: of, reads: '__typename', done: 'They are sent again.' },
      { label: 'New secret', field: 'rotateWebhookSecret', about: 'The old one signs nothing any more as soon as the new one is there.', input: of, reads: 'secretKey', done: 'There is a new secret.', after: (made) => showSecret('Secret of the webhook', 'It is shown once.', made.secretKey) },
      { label: 'Remove', danger: true, field: 'deleteWebhook', title: 'Remove the webhook', input: of, reads: '__typename', done: 'It is removed.', after: () => go(path('webhooks')) },
    ],
    facts: [
      ['Events', webhook.eventTypes.length ? webhook.eventTypes.join(', ') : 'all'],
      ['Order', webhook.ordered ? 'those of an object in their order' : 'as they come'],
      ['Made', html`<${Time} at=${webhook.createdAt} />`],
      ['Changed', html`<${Time} at=${webhook.updatedAt} />`],
    ],
    tabs: [{ name: 'deliveries', label: 'Deliveries', show: () => html`<${Panel} flush title="Deliveries"><${Listing} embedded spec=${DELIVERIES} fixed=${{ webhookId: webhook.id }} /></${Panel}>` }],
  };
}

export default function Webhook({ id }) {
  return html`<${RecordPage} query=${`{ webhook(id: ${literal(id)}) { id webhookUrl status eventTypes ordered createdAt updatedAt } }`} of="webhook" list=${{ page: 'webhooks', title: 'Webhooks' }} make=${make} />`;
}
