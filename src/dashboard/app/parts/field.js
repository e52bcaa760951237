// A field of a form: how it is shown, what its text stands for, and where a refusal belongs.

import { html, useId, useRef } from '../vendor/preact.js';
import { decimalOf, isTwofold, minorOf, money, percent, words } from '../lib/format.js';

/** The kinds of fields that stand for any number of entries. */
const MANY = ['list', 'wholes', 'some'];

const isEmpty = (value) => value === undefined || value === null || value === '' || (Array.isArray(value) && !value.length);

/** What is wrong with a number that is thousands and a fraction at once. */
export const TWOFOLD = 'could be thousands or a fraction: leave the point out, or write a comma.';

const currencyOf = ({ currency }, values) => (typeof currency === 'function' ? currency(values) : currency);

/** What a field's text stands for, or an exception that says what is wrong with it. What stood there
 * at `first` and was emptied is taken away: `null`, or no entries. */
function parsed(field, value, values, first) {
  if (field.kind === 'rows') return parsedRows(field, value ?? [], values);
  if (isEmpty(value)) {
    if (field.required) throw new Error(`${field.label} is needed.`);
    if (field.clears) return '';
    if (isEmpty(first)) return undefined;
    return MANY.includes(field.kind) ? [] : null;
  }
  switch (field.kind) {
    case 'money': {
      const currency = currencyOf(field, values);
      const minor = minorOf(value, currency);
      if (minor === null) throw new Error(`${field.label} must be an amount in ${currency}, such as 12.50.`);
      return minor;
    }
    case 'percent': {
      const bps = minorOf(value, 'EUR');
      if (bps === null || bps < 0 || bps > 10_000) throw new Error(`${field.label} must be from 0 to 100, with two decimals at most.`);
      return bps;
    }
    case 'decimal': {
      if (isTwofold(value)) throw new Error(`${field.label} ${TWOFOLD}`);
      const decimal = decimalOf(value);
      if (decimal === null) throw new Error(`${field.label} must be a number such as 1 or 2.5.`);
      return decimal;
    }
    case 'whole':
      if (!/^-?\d+$/.test(value.trim())) throw new Error(`${field.label} must be a whole number.`);
      return Number(value);
    case 'list':
      return value.split(/[\s,]+/).filter(Boolean);
    case 'wholes':
      return value.split(/[\s,]+/).filter(Boolean).map(Number);
    default:
      return typeof value === 'string' ? value.trim() : value;
  }
}

/** Each row as its fields have it, made into what is sent by `row`. */
function parsedRows(field, rows, values) {
  if (field.required && !rows.length) throw new Error(`At least one ${field.one} is needed.`);
  const read = rows.map((row) => readFields(fieldsOf(field, values), row));
  if (read.some(({ wrong }) => Object.keys(wrong).length)) throw Object.assign(new Error(), { rows: read.map(({ wrong }) => wrong) });
  return read.map(({ found }, index) => (field.row ? field.row(found, rows[index]) : found));
}

const fieldsOf = (field, values) => (typeof field.fields === 'function' ? field.fields(values) : field.fields);

export const shownOf = (fields, values) => fields.filter((field) => !field.when || field.when(values));

/** What the values of fields stand for, and what is wrong with which. */
export function readFields(fields, values, first = {}) {
  const found = {};
  const wrong = {};
  for (const field of shownOf(fields, values)) {
    try {
      found[field.name] = parsed(field, values[field.name], values, first[field.name]);
    } catch (error) {
      wrong[field.name] = error.rows ?? error.message;
    }
  }
  return { found, wrong };
}

/** The figures of a refusal as they are typed: the API counts in minor units and in basis points. */
function asTyped(field, values, text) {
  const shown = { money: (minor) => money(minor, currencyOf(field, values)), percent: (bps) => percent(Number(bps)) }[field.kind];
  if (!shown) return text;
  // Figures of days and the like stay as they are.
  return text.replace(/(?<![-.:\d])(?:10\^(\d+)|\d+)(?![-.:\d])(?: minor units)?/g, (figure, power) => shown(power ? 10n ** BigInt(power) : BigInt(parseInt(figure, 10))));
}

/** The problems at fields that a refusal tells of by their names, or `null` where it names none:
 * "lineItems[1].quantity must be a decimal" is wrong with the quantity of the second row. */
export function placed(fields, values, message) {
  const [, name, index, inner, colon, text] = /^(?:invalid request body: )?(\w+)(?:\[(\d+)\])?((?:\.\w+)*)(:?) (.+)$/s.exec(message) ?? [];
  const field = shownOf(fields, values).find((one) => one.name === name);
  if (!field) return null;
  const said = (one, of) => `${one.label.replace(/,.*/, '')}${colon} ${asTyped(one, of, text)}.`;
  if (field.kind !== 'rows') return index === undefined && !inner ? { [name]: said(field, values) } : null;
  const rows = values[name] ?? [];
  const row = shownOf(fieldsOf(field, values), rows[index] ?? {}).find((one) => inner?.split('.').includes(one.name));
  return row && rows[index] ? { [name]: rows.map((_, at) => (at === Number(index) ? { [row.name]: said(row, rows[at]) } : {})) } : null;
}

const TYPES = { date: 'date', email: 'email', password: 'password', url: 'url', time: 'datetime-local' };

export function Field({ field, value, set, problem, values }) {
  const id = useId();
  if (field.kind === 'rows') return html`<${Rows} field=${field} rows=${value ?? []} set=${set} problem=${problem} values=${values} />`;
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
    // What is wrong is told of the group, and the focus goes to its first box.
    return html`<fieldset class="field group" aria-describedby=${common['aria-describedby']}><legend>${field.label}</legend>
      <div class="checks">${field.choices.map((one) => html`<label class="check"><input type="checkbox" name=${field.name} value=${one} checked=${chosen.includes(one)} aria-invalid=${common['aria-invalid']}
        onChange=${(event) => set(event.target.checked ? [...chosen, one] : chosen.filter((other) => other !== one))} /> ${field.labels?.[one] ?? words(one)}</label>`)}</div>
      ${about}</fieldset>`;
  }
  const typed = (event) => set(event.target.value);
  let control;
  if (field.kind === 'choice') {
    control = html`<select ...${common} value=${value ?? ''} onChange=${typed}>
      ${(!field.required || field.none) && html`<option value="">${field.none ?? 'None'}</option>`}
      ${field.choices.map((one) => html`<option value=${one}>${field.labels?.[one] ?? (/^[A-Z]{3}$/.test(one) ? one : words(one))}</option>`)}</select>`;
  } else if (field.kind === 'text') {
    control = html`<textarea ...${common} rows=${field.rows ?? 4} onInput=${typed} value=${value ?? ''}></textarea>`;
  } else {
    const mode = { money: 'decimal', decimal: 'decimal', percent: 'decimal', whole: 'numeric' }[field.kind];
    control = html`<input ...${common} type=${TYPES[field.kind] ?? 'text'} inputmode=${mode} placeholder=${field.example} autocomplete=${field.complete ?? 'off'} maxlength=${field.most} value=${value ?? ''} onInput=${typed} />`;
  }
  return html`<div class=${`field${field.broad ? ' broad' : ''}`}>${label}${control}${about}</div>`;
}

/** Fields that are there as often as wanted; those marked `more` stand behind a fold. */
function Rows({ field, rows, set, problem, values }) {
  const group = useRef(null);
  const fields = fieldsOf(field, values ?? {});
  const later = (find) => requestAnimationFrame(() => find(group.current)?.focus());
  const add = () => {
    set([...rows, typeof field.blank === 'function' ? field.blank(rows) : field.blank]);
    later((box) => [...box.querySelectorAll('.row-fields')].at(-1)?.querySelector('input, select'));
  };
  const remove = (index) => {
    set(rows.filter((_, at) => at !== index));
    later((box) => box.querySelector('.row-add'));
  };
  const wrongs = Array.isArray(problem) ? problem : [];
  const view = (row, index) => {
    const put = (name, value) => set(rows.map((one, at) => (at === index ? { ...one, [name]: value } : one)));
    const wrong = wrongs[index] ?? {};
    const show = (one) => html`<${Field} key=${one.name} field=${one} value=${row[one.name]} set=${(value) => put(one.name, value)} problem=${wrong[one.name]} />`;
    const shown = shownOf(fields, row);
    const more = shown.filter((one) => one.more);
    return html`<fieldset class="group row-fields" key=${index}><legend>${words(field.one)} ${index + 1}</legend>
      <div class="row-grid">${shown.filter((one) => !one.more).map(show)}</div>
      ${more.length > 0 && html`<details open=${more.some((one) => wrong[one.name]) || undefined}><summary>${field.fold}</summary><div class="row-grid">${more.map(show)}</div></details>`}
      <button type="button" class="button plain small row-remove" disabled=${field.required && rows.length === 1} onClick=${() => remove(index)}>Remove<span class="hidden"> ${field.one} ${index + 1}</span></button></fieldset>`;
  };
  return html`<fieldset class="field group rows-field" ref=${group}><legend>${field.label}</legend>
    ${field.about && html`<p class="about">${field.about}</p>`}
    ${rows.map(view)}
    ${typeof problem === 'string' && html`<p class="problem" role="alert">${problem}</p>`}
    <p><button type="button" class="button plain small row-add" onClick=${add}>Add ${/^[aeiou]/.test(field.one) ? 'an' : 'a'} ${field.one}</button></p></fieldset>`;
}
