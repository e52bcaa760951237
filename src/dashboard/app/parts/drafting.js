// Writing a document by hand: its lines, and the forms of a draft and a credit note.

import { html, useState } from '../vendor/preact.js';
import { act, advice } from '../lib/api.js';
import { decimals, major, minorOf, money } from '../lib/format.js';
import { go, path } from '../lib/route.js';
import { open, say } from './dialog.js';
import { Field } from './form.js';

const BLANK = { description: '', quantity: '1', price: '', taxRate: '' };

/** Lines as they are typed; `null` while one of them is no line. */
function linesOf(rows, currency) {
  const lines = rows.map((row) => ({ description: row.description.trim(), quantity: row.quantity.trim(), unitPriceMinor: minorOf(row.price, currency), taxRate: row.taxRate.trim() || undefined }));
  return lines.every((line) => line.description && /^\d+(\.\d+)?$/.test(line.quantity) && line.unitPriceMinor !== null) ? lines : null;
}

function Lines({ rows, set, currency }) {
  const put = (index, name, value) => set(rows.map((row, at) => (at === index ? { ...row, [name]: value } : row)));
  return html`${rows.map((row, index) => html`<fieldset class="group line-fields"><legend class="hidden">Line ${index + 1}</legend>
      <${Field} field=${{ name: `description${index}`, label: 'Description', required: true }} value=${row.description} set=${(value) => put(index, 'description', value)} />
      <div class="tier">
        <${Field} field=${{ name: `quantity${index}`, label: 'Quantity', required: true, kind: 'decimal' }} value=${row.quantity} set=${(value) => put(index, 'quantity', value)} />
        <${Field} field=${{ name: `price${index}`, label: `Unit price, ${currency}`, required: true, kind: 'money', example: decimals(currency) ? '12.50' : '1250' }} value=${row.price} set=${(value) => put(index, 'price', value)} />
        <${Field} field=${{ name: `tax${index}`, label: 'Tax, %', kind: 'decimal' }} value=${row.taxRate} set=${(value) => put(index, 'taxRate', value)} />
        <button type="button" class="button plain small" disabled=${rows.length === 1} onClick=${() => set(rows.filter((_, at) => at !== index))}>Remove<span class="hidden"> line ${index + 1}</span></button>
      </div></fieldset>`)}
    <p><button type="button" class="button plain small" onClick=${() => set([...rows, BLANK])}>Add a line</button></p>`;
}

function Document({ title, verb, fields, first, currency, rows: given, send, done, close }) {
  const [values, setValues] = useState(first ?? {});
  const [rows, setRows] = useState(given ?? [BLANK]);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const unit = currency ?? values.currency ?? 'EUR';
  const submit = async (event) => {
    event.preventDefault();
    const lines = linesOf(rows, unit);
    const missing = fields.find((field) => field.required && !values[field.name]);
    if (missing || !lines) {
      setError({ message: missing ? `${missing.label} is needed.` : `Each line needs a description, a quantity such as 1 or 2.5, and a price in ${unit}.` });
      return;
    }
    setBusy(true);
    try {
      const made = await send(values, lines);
      close();
      done?.(made);
    } catch (refused) {
      setError(refused);
      setBusy(false);
    }
  };
  return html`<form onSubmit=${submit} noValidate><h2>${title}</h2>
    ${fields.map((field) => html`<${Field} field=${field} value=${values[field.name]} set=${(value) => setValues((old) => ({ ...old, [field.name]: value }))} />`)}
    <h3>Lines</h3><${Lines} rows=${rows} set=${setRows} currency=${unit} />
    ${error && html`<div class="notice bad" role="alert"><p>${error.message}</p>${error.code && advice(error) && html`<p>${advice(error)}</p>`}</div>`}
    <div class="buttons"><button type="button" class="button plain" onClick=${close}>Close</button><button type="submit" class="button" disabled=${busy}>${busy ? 'Working…' : verb}</button></div></form>`;
}

export const CURRENCIES = ['EUR', 'USD', 'GBP', 'DKK', 'NOK', 'SEK'];

/** Whom a draft is for that belongs to no contract: customer and contract are found or made. */
const BUYER = [
  { name: 'email', label: 'E-mail of the buyer', kind: 'email', required: true },
  { name: 'buyer', label: 'Name', most: 128 },
  { name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: CURRENCIES },
];

/** A draft, of a contract or for whoever is named. */
export function draft(contract) {
  return {
    label: 'Draft an invoice',
    field: 'createDraftInvoice',
    click: () => open(Document, {
      label: 'Draft an invoice', title: 'Draft an invoice', verb: 'Save the draft',
      fields: [...(contract ? [] : BUYER), { name: 'dueDate', label: 'Due', kind: 'date' }, { name: 'memo', label: 'Note to the buyer', kind: 'text', rows: 2 }],
      first: contract ? {} : { currency: 'EUR' },
      currency: contract?.currency,
      send: ({ email, buyer, currency, dueDate, memo }, lines) => act('createDraftInvoice', { ...(contract ? { contractId: contract.id, origin: 'one_time' } : { origin: 'adhoc', currency, billTo: { email, name: buyer } }), dueDate, memo, lines }, 'id'),
      done: (made) => {
        say('The draft is saved.');
        go(path('drafts', made.id));
      },
    }),
  };
}

export const NEW_DRAFT = draft(null);

/** A credit note over an invoice, its own lines proposed. */
export function creditNote(invoice) {
  return {
    label: 'Credit note',
    field: 'createCreditNote',
    when: ['issued', 'sent', 'paid', 'overdue'].includes(invoice.status) && invoice.invoiceType !== 'credit_note',
    click: () => open(Document, {
      label: 'Credit note', title: `Credit ${invoice.invoiceNumber}`, verb: 'Issue the credit note',
      fields: [{ name: 'memo', label: 'Reason', kind: 'text', rows: 2 }],
      currency: invoice.currency,
      rows: (invoice.lines ?? []).map((line) => ({ description: line.description, quantity: line.unitPriceMinor === null ? '1' : line.quantity, price: major(line.unitPriceMinor ?? line.amountMinor, invoice.currency), taxRate: line.taxRate })),
      send: ({ memo }, lines) => act('createCreditNote', { corrects: invoice.invoiceNumber, memo, lines }, 'id invoiceNumber grandTotalMinor currency'),
      done: (made) => {
        say(`Credit note ${made.invoiceNumber} over ${money(made.grandTotalMinor, made.currency)} is issued.`);
        go(path('invoices', made.id));
      },
    }),
  };
}
