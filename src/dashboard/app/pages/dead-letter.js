// One dead letter. It is found among the latest: the API has no single one.

import { html } from '../vendor/preact.js';
import { useAsk } from '../lib/read.js';
import { Actions } from '../parts/form.js';
import { Facts, Panel } from '../parts/record.js';
import { Empty, Read } from '../parts/state.js';
import { Status, Time } from '../parts/value.js';
import { path } from '../lib/route.js';

export default function DeadLetter({ id }) {
  const read = useAsk(`{ deadLetters(first: 1, after: "${Number(id) + 1}") { nodes { id source reason status attempts createdAt lastAttemptAt event eventCut } } }`, 'Usage');
  return html`<nav class="crumbs" aria-label="Where you are"><a href=${path('dead-letters')}>Dead letters</a></nav>
    <${Read} from=${read}>${({ deadLetters }) => {
      const letter = deadLetters.nodes.find((one) => one.id === id);
      if (!letter) return html`<${Empty} title="No such letter." />`;
      const of = () => ({ deadLetterId: letter.id });
      const parked = letter.status === 'parked';
      return html`<header class="head"><h1>Letter ${letter.id} <${Status} of=${letter.status} /></h1></header>
        <div class="actions row-actions"><${Actions} done=${read.again} of=${[
          { label: 'Try again', main: true, field: 'redriveDeadLetter', when: parked, input: of, reads: '__typename', done: 'It was tried again.' },
          { label: 'Discard', danger: true, field: 'discardDeadLetter', when: parked, about: 'It is never counted.', input: of, reads: '__typename', done: 'It is discarded.' },
        ]} /></div>
        <${Panel}><${Facts} of=${[['Why', letter.reason], ['From', letter.source], ['Came', html`<${Time} at=${letter.createdAt} />`], ['Last tried', html`<${Time} at=${letter.lastAttemptAt} />`], ['Tries', letter.attempts]]} /></${Panel}>
        <${Panel} title=${letter.eventCut ? 'The event, cut' : 'The event'}><pre tabindex="0">${typeof letter.event === 'string' ? letter.event : JSON.stringify(letter.event, null, 2)}</pre></${Panel}>`;
    }}</${Read}>`;
}
