// One customer: cards and invoices.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { words } from '../lib/format.js';
import { Actions } from '../parts/form.js';
import { Listing } from '../parts/list.js';
import { Panel, RecordPage } from '../parts/record.js';
import { Empty } from '../parts/state.js';
import { Day, Time } from '../parts/value.js';
import { newContract } from './contracts.js';
import { INVOICES } from './invoices.js';

function Cards({ customer, again }) {
  if (!customer.savedCards.length) return html`<${Empty} title="No card is saved.">A buyer saves one on the page where an invoice is paid.</${Empty}>`;
  return html`<table class="table" aria-label="Saved cards"><tbody>${customer.savedCards.map((card) => html`<tr key=${card.id}><td>${words(card.brand)} ending in ${card.last4}${card.isDefault && html` <span class="status good">Charged first</span>`}</td><td class="middle">until ${String(card.expiryMonth).padStart(2, '0')}/${card.expiryYear}</td><td class="wide">saved <${Day} on=${card.createdAt} /></td>
    <td class="number"><${Actions} small of=${[{ label: 'Remove', danger: true, field: 'removeSavedCard', title: 'Remove the card', about: 'It is not charged any more.', input: () => ({ customerId: customer.id, savedCardId: card.id }), reads: '', done: 'The card is removed.' }]} done=${again} /></td></tr>`)}</tbody></table>`;
}

function make(customer, _, again) {
  return {
    title: customer.companyName ?? customer.name ?? customer.email,
    lead: [customer.companyName && customer.name, customer.email].filter(Boolean).join(', '),
    actions: [newContract(customer.id)],
    facts: [
      ['Sort', customer.customerType && words(customer.customerType)],
      ['Country', customer.companyCountry],
      ['VAT id', customer.taxId],
      ['Phone', customer.phone],
      ['Currency', customer.currency],
      ['Your reference', customer.customerRef],
      ['Id', customer.id],
      ['Since', html`<${Time} at=${customer.createdAt} />`],
    ],
    tabs: [
      { name: 'invoices', label: 'Invoices', show: () => html`<${Panel} flush><${Listing} embedded spec=${INVOICES} fixed=${{ sellerCustomerId: customer.id }} /></${Panel}>` },
      { name: 'cards', label: `Saved cards (${customer.savedCards.length})`, show: () => html`<${Panel} flush><${Cards} customer=${customer} again=${again} /></${Panel}>` },
    ],
  };
}

export default function Customer({ id }) {
  return html`<${RecordPage} query=${`{ customer(id: ${literal(id)}) { id email name companyName companyCountry taxId customerRef customerType phone currency createdAt savedCards { id brand last4 expiryMonth expiryYear isDefault createdAt } } }`} of="customer" watch="Payment|Card" list=${{ page: 'customers', title: 'Customers' }} make=${make} />`;
}
