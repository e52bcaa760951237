// Writing a document by hand: its lines, and the forms of a draft and a credit note.

import { decimals, major, money } from '../lib/format.js';
import { go, path } from '../lib/route.js';

export const CURRENCIES = ['EUR', 'USD', 'GBP', 'DKK', 'NOK', 'SEK'];

const BLANK = { description: '', quantity: '1', unitPriceMinor: '', taxRate: '' };

/** The lines of a document in a currency, or in the one that is chosen above them. */
const lines = (given) => ({
  name: 'lines', label: 'Lines', kind: 'rows', one: 'line', required: true, blank: BLANK, value: [BLANK],
  fields: ({ currency = given }) => [
    { name: 'description', label: 'Description', required: true, broad: true, most: 512 },
    { name: 'quantity', label: 'Quantity', required: true, kind: 'decimal' },
    { name: 'unitPriceMinor', label: `Unit price, ${currency}`, required: true, kind: 'money', currency, example: decimals(currency) ? '12.50' : '1250' },
    { name: 'taxRate', label: 'Tax, %', kind: 'decimal' },
  ],
});

/** Whom a draft is for that belongs to no contract: customer and contract are found or made. */
const BUYER = [
  { name: 'email', label: 'E-mail of the buyer', kind: 'email', required: true },
  { name: 'buyer', label: 'Name', most: 128 },
  { name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: CURRENCIES, value: 'EUR' },
];

/** A draft, of a contract or for whoever is named. */
export const draft = (contract) => ({
  label: 'Draft an invoice',
  field: 'createDraftInvoice',
  verb: 'Save the draft',
  fields: [...(contract ? [] : BUYER), { name: 'dueDate', label: 'Due', kind: 'date' }, { name: 'memo', label: 'Note to the buyer', kind: 'text', rows: 2 }, lines(contract?.currency)],
  input: ({ email, buyer, currency, ...values }) => (contract ? { contractId: contract.id, origin: 'one_time', ...values } : { origin: 'adhoc', currency, billTo: { email, name: buyer }, ...values }),
  done: 'The draft is saved.',
  after: (made) => go(path('drafts', made.id)),
});

export const NEW_DRAFT = draft(null);

/** A line as it was billed: by its price, or where that alone does not come to its amount, as one of
 * that amount. */
function proposed(billed, currency) {
  const { description, quantity, unitPriceMinor, discountMinor, amountMinor, taxRate } = billed;
  const whole = unitPriceMinor === null || discountMinor !== 0;
  return { description, quantity: whole ? '1' : quantity, unitPriceMinor: major(whole ? amountMinor : unitPriceMinor, currency), taxRate, billed };
}

/** A line whose rate was left as it was billed keeps why it is that; a delivery within the Union its day too. */
function credited(line, { billed }) {
  if (!billed || line.taxRate !== billed.taxRate) return line;
  const { taxCategory, periodStart, periodEnd } = billed;
  return { ...line, taxCategory, ...(taxCategory === 'K' && { periodStart, periodEnd }) };
}

/** A credit note over an invoice, its own lines proposed. */
export const creditNote = (invoice) => ({
  label: 'Credit note',
  field: 'createCreditNote',
  when: ['issued', 'sent', 'paid', 'overdue'].includes(invoice.status) && invoice.invoiceType !== 'credit_note',
  title: `Credit ${invoice.invoiceNumber}`,
  verb: 'Issue the credit note',
  fields: [{ name: 'memo', label: 'Reason', kind: 'text', rows: 2 }, { ...lines(invoice.currency), row: credited }],
  first: { lines: (invoice.lines ?? []).map((line) => proposed(line, invoice.currency)) },
  input: (values) => ({ corrects: invoice.invoiceNumber, ...values }),
  reads: 'id invoiceNumber grandTotalMinor currency',
  done: (made) => `Credit note ${made.invoiceNumber} over ${money(made.grandTotalMinor, made.currency)} is issued.`,
  after: (made) => go(path('invoices', made.id)),
});
