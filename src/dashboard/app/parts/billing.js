// Billing what is due on a contract, and what of it could not be billed.

import { html } from '../vendor/preact.js';
import { refusal, send } from '../lib/api.js';
import { words } from '../lib/format.js';
import { open } from './dialog.js';

const RUN = 'mutation ($input: RunBillingInput!) { runBilling(input: $input) { id } }';

/** The documents of a run, and why there are not more. */
async function run(input, key) {
  const { data, errors = [] } = await send(RUN, undefined, { input }, key);
  if (!data?.runBilling) throw refusal(errors[0]);
  return { made: data.runBilling.length, refused: errors.map(refusal) };
}

const issued = (made) => `${made} ${made === 1 ? 'document is' : 'documents are'} issued.`;

/** It stays until it is closed: somebody has to do something about it. */
function Left({ made, refused, close }) {
  return html`<div><h2>Not all is billed</h2><p class="lead">${made ? issued(made) : 'No document is issued.'}</p>
    <ul>${refused.map(({ message, more: { origin } }) => html`<li>${origin ? `${words(origin)}: ` : ''}${message}</li>`)}</ul>
    <div class="buttons"><button type="button" class="button" onClick=${close}>Close</button></div></div>`;
}

export const runBilling = (contract) => ({
  label: 'Bill what is due',
  field: 'runBilling',
  when: contract.status === 'active',
  about: 'Terms, closed usage, completed work and items that are due are billed now, each on a document of its own kind. What was billed is not billed again.',
  input: () => ({ contractId: contract.id }),
  run,
  done: ({ made, refused }) => (made ? issued(made) : refused.length ? 'No document is issued.' : 'Nothing was due.'),
  after: ({ made, refused }) => refused.length && open(Left, { made, refused, label: 'Not all is billed' }),
});
