// The last step of registering: for which organization.

import { html, useEffect, useState } from '../vendor/preact.js';
import { go, path } from '../lib/route.js';
import { useWho } from '../lib/who.js';
import { useFields } from '../parts/form.js';

const FIELDS = [
  { name: 'name', label: 'Name of the organization', required: true, complete: 'organization', most: 128 },
  { name: 'country', label: 'Country', required: true, example: 'DE', most: 2, about: 'Two letters, by ISO 3166-1.' },
  { name: 'taxId', label: 'Tax id', most: 64 },
];

export default function Welcome() {
  const { account } = useWho();
  const { read, view } = useFields(FIELDS);
  const [problem, setProblem] = useState('');
  // An account that can be looked at has taken this step.
  const done = Boolean(account.status);
  useEffect(() => {
    if (done) go(path('overview'), { replace: true });
  }, [done]);
  if (done) return null;
  const submit = async (event) => {
    event.preventDefault();
    const values = read();
    if (!values) return;
    const answer = await fetch('/api/v1/onboarding/complete', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...values, country: values.country.toUpperCase() }),
    });
    if (answer.ok) location.reload();
    else setProblem((await answer.json().catch(() => ({}))).error ?? 'That did not work. Try again.');
  };
  return html`<section class="panel"><h1>Who do you sell for?</h1><form onSubmit=${submit} noValidate>${view}
    ${problem && html`<div class="notice bad" role="alert"><p>${problem}</p></div>`}
    <div class="buttons"><button class="button" type="submit">Go on</button></div></form></section>`;
}
