// A form in the dialog, made of a declaration: a mutation, its fields, what is said when it is done.

import { html, useId, useRef, useState } from '../vendor/preact.js';
import { act, advice } from '../lib/api.js';
import { minorOf, words } from '../lib/format.js';
import { useMay } from '../lib/who.js';
import { open, say } from './dialog.js';

/** What a field's text stands for, or an exception that says what is wrong with it. */
function parsed(field, value, values) {
  const empty = value === undefined || value === '' || (Array.isArray(value) && !value.length);
  if (empty) {
    if (field.required) throw new Error(`${field.label} is needed.`);
    return undefined;
  }
  switch (field.kind) {
    case 'money': {
      const currency = typeof field.currency === 'function' ? field.currency(values) : field.currency;
      const minor = minorOf(value, currency);
      if (minor === null) throw new Error(`${field.label} must be an amount in ${currency}, such as 12.50.`);
      return minor;
    }
    case 'whole':
      if (!/^-?\d+$/.test(value.trim())) throw new Error(`${field.label} must be a whole number.`);
      return Number(value);
    case 'list':
      return value.split(/[\s,]+/).filter(Boolean);
    case 'wholes':
      return value.split(/[\s,]+/).filter(Boolean).map(Number);
    case 'json':
      try {
        return JSON.parse(value);
      } catch (error) {
        throw new Error(`${field.label} is not JSON: ${error.message}`);
      }
    default:
      return typeof value === 'string' ? value.trim() : value;
  }
}

const TYPES = { date: 'date', email: 'email', password: 'password', url: 'url', time: 'datetime-local' };

export function Field({ field, value, set, problem }) {
  const id = useId();
  const note = `${id}-note`;
  const common = {
    id,
    name: field.name,
    'aria-describedby': field.about || problem ? note : undefined,
    'aria-invalid': problem ? 'true' : undefined,
    'aria-required': field.required ? 'true' : undefined,
  };
  const label = html`<label for=${id}>${field.label}${field.required || field.kind === 'yes' ? '' : html` <span class="optional">optional</span>`}</label>`;
  const about = (problem || field.about) && html`<p id=${note} class=${problem ? 'problem' : 'about'}>${problem || field.about}</p>`;
  if (field.kind === 'yes') {
    return html`<div class="field check"><input ...${common} type="checkbox" checked=${Boolean(value)} onChange=${(event) => set(event.target.checked)} />${label}${about}</div>`;
  }
  if (field.kind === 'some') {
    const chosen = value ?? [];
    return html`<fieldset class="field group"><legend>${field.label}</legend>
      <div class="checks">${field.choices.map((one) => html`<label class="check"><input type="checkbox" name=${field.name} value=${one} checked=${chosen.includes(one)}
        onChange=${(event) => set(event.target.checked ? [...chosen, one] : chosen.filter((other) => other !== one))} /> ${field.labels?.[one] ?? words(one)}</label>`)}</div>
      ${about}</fieldset>`;
  }
  const typed = (event) => set(event.target.value);
  let control;
  if (field.kind === 'choice') {
    control = html`<select ...${common} value=${value ?? ''} onChange=${typed}>
      ${!field.required && html`<option value="">${field.none ?? 'None'}</option>`}
      ${field.choices.map((one) => html`<option value=${one}>${field.labels?.[one] ?? (/^[A-Z]{3}$/.test(one) ? one : words(one))}</option>`)}</select>`;
  } else if (field.kind === 'text' || field.kind === 'json') {
    control = html`<textarea ...${common} rows=${field.rows ?? 4} spellcheck=${field.kind === 'text'} onInput=${typed} value=${value ?? ''}></textarea>`;
  } else {
    const mode = { money: 'decimal', decimal: 'decimal', whole: 'numeric' }[field.kind];
    control = html`<input ...${common} type=${TYPES[field.kind] ?? 'text'} inputmode=${mode} placeholder=${field.example} autocomplete=${field.complete ?? 'off'} maxlength=${field.most} value=${value ?? ''} onInput=${typed} />`;
  }
  return html`<div class="field">${label}${control}${about}</div>`;
}

/** The state of some fields, and what they come to; `null` while one is wrong. */
export function useFields(fields, first = {}) {
  const [values, setValues] = useState(() => Object.fromEntries(fields.map((field) => [field.name, first[field.name] ?? field.value])));
  const [problems, setProblems] = useState({});
  const set = (name, value) => {
    setValues((old) => ({ ...old, [name]: value }));
    setProblems((old) => ({ ...old, [name]: undefined }));
  };
  const shown = fields.filter((field) => !field.when || field.when(values));
  const read = () => {
    const found = {};
    const wrong = {};
    for (const field of shown) {
      try {
        found[field.name] = parsed(field, values[field.name], values);
      } catch (error) {
        wrong[field.name] = error.message;
      }
    }
    setProblems(wrong);
    return Object.keys(wrong).length ? null : found;
  };
  const view = shown.map((field) => html`<${Field} key=${field.name} field=${field} value=${values[field.name]} set=${(value) => set(field.name, value)} problem=${problems[field.name]} />`);
  return { values, set, read, view, problems };
}

function ActionForm({ action, close, done }) {
  const { read, view } = useFields(action.fields ?? [], action.first);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const form = useRef(null);
  const submit = async (event) => {
    event.preventDefault();
    const values = read();
    if (!values) {
      requestAnimationFrame(() => form.current?.querySelector('[aria-invalid]')?.focus());
      return;
    }
    setBusy(true);
    setError(null);
    try {
      const input = action.input ? action.input(values) : values;
      const answer = action.run ? await action.run(input) : await act(action.field, input, action.reads ?? 'id');
      close();
      say(typeof action.done === 'function' ? action.done(answer) : (action.done ?? 'Done.'));
      done?.(answer);
      action.after?.(answer);
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  return html`<form ref=${form} onSubmit=${submit} noValidate>
    <h2>${action.title ?? action.label}</h2>
    ${action.about && html`<p class="lead">${action.about}</p>`}
    ${view}
    ${error && html`<div class="notice bad" role="alert"><p>${error.message}</p>${advice(error) && html`<p>${advice(error)}</p>`}</div>`}
    <div class="buttons"><button type="button" class="button plain" onClick=${close}>Close</button>
      <button type="submit" class=${`button${action.danger ? ' danger' : ''}`} aria-disabled=${busy ? 'true' : undefined} disabled=${busy}>${busy ? 'Working…' : (action.verb ?? action.label)}</button></div>
  </form>`;
}

/** Opens the form of an action; `done` is called with the answer. */
export function openForm(action, done) {
  open(ActionForm, { action, done, label: action.title ?? action.label });
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
