// One event, by its number.

import { html } from '../vendor/preact.js';
import { useAsk } from '../lib/read.js';
import { path } from '../lib/route.js';
import { Facts, Panel } from '../parts/record.js';
import { Empty, Read } from '../parts/state.js';
import { Code, Time } from '../parts/value.js';
import { Subject } from './event-log.js';

export default function Event({ id }) {
  const read = useAsk(`{ events(first: 1, after: "${Number(id) - 1}") { nodes { eventId sequence eventType occurredAt payload } } }`);
  return html`<nav class="crumbs" aria-label="Where you are"><a href=${path('event-log')}>Events</a></nav>
    <${Read} from=${read}>${({ events: { nodes: [event] } }) => (event?.sequence !== Number(id)
      ? html`<${Empty} title="No such event.">It may be older than events are kept.</${Empty}>`
      : html`<header class="head"><h1>${event.eventType}</h1></header>
        <${Panel}><${Facts} of=${[['Number', event.sequence], ['Of', html`<${Subject} event=${event} />`], ['When', html`<${Time} at=${event.occurredAt} />`], ['Id', html`<${Code}>${event.eventId}</${Code}>`]]} /></${Panel}>
        <${Panel} title="Payload"><pre tabindex="0">${JSON.stringify(event.payload, null, 2)}</pre></${Panel}>`)}</${Read}>`;
}
