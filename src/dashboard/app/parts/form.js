// A form in the dialog, made of a declaration: a mutation, its fields, what is said when it is done.

import { html, useRef, useState } from '../vendor/preact.js';
import { act, advice, drawKey, isLost } from '../lib/api.js';
import { useMay } from '../lib/who.js';
import { open, say } from './dialog.js';
import { Field, placed, readFields, shownOf } from './field.js';

/** The state of some fields, and what they come to; `null` while one is wrong. */
export function useFields(fields, first = {}) {
  const [values, setValues] = useState(() => Object.fromEntries(fields.map((field) => [field.name, first[field.name] ?? field.value])));
  const [problems, setProblems] = useState({});
  const set = (name, value) => {
    setValues((old) => ({ ...old, [name]: value }));
    setProblems((old) => ({ ...old, [name]: undefined }));
  };
  const read = () => {
    const { found, wrong } = readFields(fields, values, first);
    setProblems(wrong);
    return Object.keys(wrong).length ? null : found;
  };
  /** Shows a refusal at the field that it names; whether it names one. */
  const place = (message) => {
    const wrong = placed(fields, values, message);
    if (wrong) setProblems(wrong);
    return Boolean(wrong);
  };
  const view = shownOf(fields, values).map((field) => html`<${Field} key=${field.name} field=${field} value=${values[field.name]} values=${values} set=${(value) => set(field.name, value)} problem=${problems[field.name]} />`);
  return { values, set, read, place, view, problems };
}

const LOST = 'It is not known whether this was carried out. Pressing again is safe: nothing is paid, billed or credited twice.';

function ActionForm({ action, close, done }) {
  const { read, place, view } = useFields(action.fields ?? [], action.first);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  // Sent again after its answer was lost, it is not done again; after an answer it is a new action.
  const [key, setKey] = useState(drawKey);
  const form = useRef(null);
  const toProblem = () => requestAnimationFrame(() => form.current?.querySelector('[aria-invalid]')?.focus());
  const submit = async (event) => {
    event.preventDefault();
    const values = read();
    if (!values) {
      toProblem();
      return;
    }
    setBusy(true);
    setError(null);
    try {
      const input = action.input ? action.input(values) : values;
      const answer = action.run ? await action.run(input, key) : await act(action.field, input, action.reads ?? 'id', key);
      close();
      say(typeof action.done === 'function' ? action.done(answer) : (action.done ?? 'Done.'));
      done?.(answer);
      action.after?.(answer);
    } catch (refused) {
      if (!isLost(refused)) setKey(drawKey());
      if (place(refused.message)) toProblem();
      else setError(refused);
      setBusy(false);
    }
  };
  const about = error && [isLost(error) && LOST, advice(error)].filter(Boolean).join(' ');
  return html`<form ref=${form} onSubmit=${submit} noValidate>
    <h2>${action.title ?? action.label}</h2>
    ${action.about && html`<p class="lead">${action.about}</p>`}
    ${view}
    ${error && html`<div class="notice bad" role="alert"><p>${error.message}</p>${about && html`<p>${about}</p>`}</div>`}
    <div class="buttons"><button type="button" class="button plain" onClick=${close}>Close</button>
      <button type="submit" class=${`button${action.danger ? ' danger' : ''}`} aria-disabled=${busy ? 'true' : undefined} disabled=${busy}>${busy ? 'Working…' : (action.verb ?? action.label)}</button></div>
  </form>`;
}

/** Opens the form of an action; `done` is called with the answer. What the form must know before
 * it is shown is read by the action's `load`. */
export async function openForm(action, done) {
  try {
    const whole = action.load ? { ...action, ...(await action.load()) } : action;
    open(ActionForm, { action: whole, done, label: action.title ?? action.label, kind: whole.fields?.some((field) => field.kind === 'rows') ? 'broad' : '' });
  } catch (refused) {
    say(refused.message);
  }
}

/** The buttons of the actions that the person may take and that apply. */
export function Actions({ of, done, small }) {
  const may = useMay();
  const shown = of.filter((action) => action && (!action.field || may(action.field)) && action.when !== false);
  return shown.map((action) =>
    action.href
      ? html`<a key=${action.label} class=${`button plain${small ? ' small' : ''}`} href=${action.href} target=${action.outside ? '_blank' : undefined} rel=${action.outside ? 'noopener' : undefined} data-whole=${action.whole} download=${action.download}>${action.label}</a>`
      : html`<button key=${action.label} type="button" class=${`button${action.main ? '' : ' plain'}${small ? ' small' : ''}${action.danger ? ' warns' : ''}`} onClick=${() => (action.click ? action.click() : openForm(action, done))}>${action.label}</button>`,
  );
}

/** Shows what is said only once, such as a secret. */
function SecretView({ title, about, secret, close }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(secret);
    setCopied(true);
  };
  return html`<div><h2>${title}</h2><p class="lead">${about}</p>
    <p class="secret"><code>${secret}</code></p>
    <div class="buttons"><button type="button" class="button plain" onClick=${copy}>${copied ? 'Copied' : 'Copy'}</button><button type="button" class="button" onClick=${close}>I have kept it</button></div></div>`;
}

export const showSecret = (title, about, secret) => open(SecretView, { title, about, secret, label: title });
