// One delivery.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { RecordPage } from '../parts/record.js';
import { Code, Status, Time, To } from '../parts/value.js';

function make(delivery) {
  return {
    title: delivery.eventType,
    status: html`<${Status} of=${delivery.status} />`,
    actions: [{ label: 'Send again', main: true, field: 'redeliverWebhook', input: () => ({ deliveryId: delivery.id }), done: 'It is sent again.' }],
    facts: [
      ['Webhook', html`<${To} page="webhooks" id=${delivery.webhookId} />`],
      ['Event', html`<${To} page="event-log" id=${delivery.sequence}>${delivery.sequence}</${To}>`],
      ['Event id', html`<${Code}>${delivery.eventId}</${Code}>`],
      ['Tries', delivery.attempts],
      ['Last answer', delivery.lastStatus],
      ['Last error', delivery.lastError],
      ['Made', html`<${Time} at=${delivery.createdAt} />`],
      delivery.lastAttemptAt && ['Last tried', html`<${Time} at=${delivery.lastAttemptAt} />`],
      delivery.nextAttemptAt && ['Tried next', html`<${Time} at=${delivery.nextAttemptAt} />`],
      delivery.deliveredAt && ['Delivered', html`<${Time} at=${delivery.deliveredAt} />`],
    ],
  };
}

export default function Delivery({ id }) {
  return html`<${RecordPage} query=${`{ delivery(id: ${literal(id)}) { id eventType eventId sequence status attempts lastStatus lastError createdAt lastAttemptAt nextAttemptAt deliveredAt webhookId } }`} of="delivery" watch="." list=${{ page: 'deliveries', title: 'Deliveries' }} make=${make} />`;
}
