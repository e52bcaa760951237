// One invoice: what it bills, how it was paid, what can be done with it.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { money, words } from '../lib/format.js';
import { useAsk } from '../lib/read.js';
import { path } from '../lib/route.js';
import { creditNote } from '../parts/drafting.js';
import { Lines, Sums } from '../parts/lines.js';
import { Panel, RecordPage } from '../parts/record.js';
import { Empty, Read } from '../parts/state.js';
import { Trail } from '../parts/trail.js';
import { Day, Money, Period, Status, Time, To } from '../parts/value.js';
import { Listing } from '../parts/list.js';
import { INVOICES } from './invoices.js';

export const DOCUMENT = `id invoiceNumber status invoiceType origin contractId contractNumber sellerCustomerId currency subtotalMinor discountMinor taxMinor grandTotalMinor creditAppliedMinor collectibleMinor outstandingMinor
  issueDate dueDate issuedAt sentAt paidAt voidedAt periodStart periodEnd memo corrects paymentUrl collectionMethod
  billTo { name companyName email country city } taxSummary { taxCategory taxRate taxableMinor taxMinor reason } eInvoice { available missing }
  lines { id description quantity unitPriceMinor discountMinor amountMinor taxCategory taxRate periodStart periodEnd subscriptionId metricName source ratingBreakdown { formula } }`;

const REASON = [{ name: 'reason', label: 'Reason', required: true, about: 'It is kept with the invoice and in the audit log.' }];

/** A mail that did not arrive, or was given up, is written again. */
function send(invoice, open, input) {
  const again = Boolean(invoice.sentAt);
  const about = `It goes to ${invoice.billTo.email}${invoice.invoiceType === 'credit_note' ? '' : ' with a link to pay it by'}.`;
  const when = open && invoice.collectionMethod !== 'bank_transfer';
  return { label: again ? 'Send again' : 'Send', main: !again, field: 'sendInvoice', when, title: `Send ${invoice.invoiceNumber}${again ? ' again' : ''}`, about, input, done: 'The invoice is sent.' };
}

function actions(invoice) {
  const open = ['issued', 'sent', 'overdue'].includes(invoice.status);
  const of = (values) => ({ invoiceId: invoice.id, ...values });
  const file = (kind) => `/dashboard/files/invoices/${invoice.id}/${kind}`;
  return [
    send(invoice, open, of),
    { label: 'PDF', href: file('pdf'), whole: true, outside: true },
    { label: 'XML', href: file('xml'), whole: true, download: '', when: invoice.eInvoice.available },
    { label: 'Payment page', href: invoice.paymentUrl, outside: true, when: Boolean(invoice.paymentUrl) && open },
    creditNote(invoice),
    { label: 'Void', danger: true, field: 'voidInvoice', when: open, title: `Void ${invoice.invoiceNumber}`, about: 'What it billed is due again, and the credit that it drew comes back.', fields: REASON, input: of, done: 'The invoice is void.' },
    { label: 'Write off', danger: true, field: 'writeOffInvoice', when: open && invoice.outstandingMinor > 0, title: `Write ${invoice.invoiceNumber} off`, about: `${money(invoice.outstandingMinor, invoice.currency)} are given up.`, fields: REASON, input: of, done: 'The invoice is written off.' },
  ];
}

function Settlement({ invoice }) {
  const read = useAsk(`{ settlement(invoiceId: ${literal(invoice.id)}) { paidVia note payments { paymentId amountMinor currency status createdAt payouts { payoutId attributedMinor currency status completedAt } } } }`, 'Invoice|Payment|Payout');
  return html`<${Read} from=${read} lines=${3}>${({ settlement }) => {
    const steps = [
      { key: 'issued', at: html`<${Time} at=${invoice.issuedAt} />`, title: 'Issued', amount: html`<${Money} minor=${invoice.grandTotalMinor} currency=${invoice.currency} />` },
      invoice.creditAppliedMinor > 0 && { key: 'credit', at: html`<${Time} at=${invoice.issuedAt} />`, title: 'Stored credit drawn', amount: html`<${Money} minor=${-invoice.creditAppliedMinor} currency=${invoice.currency} />`, tone: 'good' },
      invoice.sentAt && { key: 'sent', at: html`<${Time} at=${invoice.sentAt} />`, title: 'Sent', detail: invoice.billTo.email },
      ...(settlement?.payments ?? []).flatMap((payment) => [
        { key: payment.paymentId, at: html`<${Time} at=${payment.createdAt} />`, title: html`Payment <${To} page="payments" id=${payment.paymentId} />`, detail: html`<${Status} of=${payment.status} />`, amount: html`<${Money} minor=${payment.amountMinor} currency=${payment.currency} />`, tone: payment.status === 'failed' ? 'bad' : 'good' },
        ...payment.payouts.map((payout) => ({ key: `${payment.paymentId} ${payout.payoutId}`, at: payout.completedAt ? html`<${Time} at=${payout.completedAt} />` : 'under way', title: html`Paid out <${To} page="payouts" id=${payout.payoutId}>payout ${payout.payoutId}</${To}>`, detail: html`<${Status} of=${payout.status} />`, amount: html`<${Money} minor=${payout.attributedMinor} currency=${payout.currency} />` })),
      ]),
      invoice.paidAt && { key: 'paid', at: html`<${Time} at=${invoice.paidAt} />`, title: 'Paid', detail: settlement?.paidVia && words(settlement.paidVia), tone: 'good' },
      invoice.voidedAt && { key: 'voided', at: html`<${Time} at=${invoice.voidedAt} />`, title: 'Voided', tone: 'bad' },
    ];
    return html`<${Trail} entries=${steps.filter(Boolean)} />${settlement?.note && html`<p class="soft">${settlement.note}</p>`}`;
  }}</${Read}>`;
}

function make(invoice) {
  const corrections = { ...INVOICES, label: 'Credit notes', filters: [] };
  return {
    title: invoice.invoiceNumber ?? `Invoice ${invoice.id}`,
    status: html`<${Status} of=${invoice.status} />`,
    lead: [invoice.billTo.companyName ?? invoice.billTo.name, invoice.billTo.email].filter(Boolean).join(', '),
    amount: html`<${Money} minor=${invoice.grandTotalMinor} currency=${invoice.currency} /><span class="soft">${invoice.outstandingMinor > 0 ? html`<${Money} minor=${invoice.outstandingMinor} currency=${invoice.currency} /> open` : 'nothing open'}</span>`,
    actions: actions(invoice),
    facts: [
      ['Issued', html`<${Day} on=${invoice.issueDate} />`],
      ['Due', html`<${Day} on=${invoice.dueDate} />`],
      invoice.periodStart && ['Period', html`<${Period} from=${invoice.periodStart} until=${invoice.periodEnd} />`],
      ['Bills', invoice.invoiceType === 'credit_note' ? 'Credit note' : words(invoice.origin)],
      invoice.corrects && ['Corrects', invoice.corrects],
      ['Contract', html`<${To} page="contracts" id=${invoice.contractId}>${invoice.contractNumber ?? invoice.contractId}</${To}>`],
      ['Customer', html`<${To} page="customers" id=${invoice.sellerCustomerId} />`],
      ['Paid by', words(invoice.collectionMethod)],
      ['Electronic invoice', invoice.eInvoice.available ? 'EN 16931' : `lacks ${(invoice.eInvoice.missing ?? []).join(', ')}`],
      ['Note', invoice.memo],
    ],
    tabs: [
      { name: 'lines', label: 'Lines', show: () => html`<${Panel} flush>${invoice.lines?.length ? html`<${Lines} of=${invoice} lines=${invoice.lines} /><${Sums} of=${invoice} />` : html`<${Empty} title="No lines." />`}</${Panel}>` },
      { name: 'settlement', label: 'Settlement', show: () => html`<${Panel}><${Settlement} invoice=${invoice} /></${Panel}>` },
      { name: 'corrections', label: 'Credit notes', when: invoice.invoiceType !== 'credit_note' && Boolean(invoice.invoiceNumber), show: () => html`<${Panel} flush><${Listing} embedded spec=${{ ...corrections, empty: { title: 'None.', text: 'A credit note over this invoice is shown here.' } }} fixed=${{ corrects: invoice.invoiceNumber }} /></${Panel}>` },
    ],
  };
}

export default function Invoice({ id }) {
  return html`<${RecordPage} query=${`{ invoice(id: ${literal(id)}) { ${DOCUMENT} } }`} of="invoice" watch="Invoice|Payment|Credit" list=${{ page: 'invoices', title: 'Invoices' }} make=${make} />`;
}
