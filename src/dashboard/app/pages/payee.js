// One payee: wallets, payout methods, payouts.

import { html, useState } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { words } from '../lib/format.js';
import { Actions } from '../parts/form.js';
import { Listing } from '../parts/list.js';
import { addPayoutMethod, deletePayoutMethod } from '../parts/paying.js';
import { Panel, RecordPage } from '../parts/record.js';
import { Day, Status, Time, accountOf } from '../parts/value.js';
import { PAYOUTS } from './payouts.js';
import { WALLETS } from './wallets.js';

const methodsOf = (payee) => ({
  label: 'Payout methods',
  field: 'payoutMethods',
  node: 'id type status currency iban accountName accountNumber sortCode bic bankName createdAt',
  columns: [
    { label: 'Account', show: (row) => accountOf(row) ?? row.type },
    { label: 'Status', kind: 'middle', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'In the name of', kind: 'middle', show: (row) => row.accountName },
    { label: 'Currency', show: (row) => row.currency },
    { label: 'Id', kind: 'wide', show: (row) => row.id },
    { label: 'Since', kind: 'wide', show: (row) => html`<${Day} on=${row.createdAt} />` },
    { label: html`<span class="hidden">Actions</span>`, kind: 'number', show: (row, again) => html`<${Actions} small of=${[deletePayoutMethod(payee, row)]} done=${again} />` },
  ],
  empty: { title: 'No payout method.', text: 'Payouts go to a bank account of the payee: add one.' },
});

function Methods({ payee }) {
  const [made, setMade] = useState(0);
  return html`<${Panel} flush title="Bank accounts" actions=${html`<${Actions} small of=${[addPayoutMethod(payee)]} done=${() => setMade(made + 1)} />`}><${Listing} key=${made} embedded spec=${methodsOf(payee)} fixed=${{ payeeId: payee.id }} /></${Panel}>`;
}

function make(payee) {
  const fixed = { payeeId: payee.id };
  return {
    title: payee.displayName,
    status: html`<${Status} of=${payee.archived ? 'archived' : payee.verification.status} />`,
    lead: [payee.businessName, payee.email].filter(Boolean).join(', '),
    facts: [
      ['Role', payee.role && words(payee.role)],
      ['Business type', payee.businessType],
      ['Tax id', payee.taxId],
      ['Phone', payee.phone],
      ['Your name for it', payee.payeeContractId],
      ['Rejected', payee.verification.reviewRejectType && words(payee.verification.reviewRejectType)],
      ['Id', payee.id],
      ['Since', html`<${Time} at=${payee.createdAt} />`],
    ],
    tabs: [
      { name: 'wallets', label: 'Wallets', show: () => html`<${Panel} flush><${Listing} embedded spec=${WALLETS} fixed=${fixed} /></${Panel}>` },
      { name: 'methods', label: 'Payout methods', show: () => html`<${Methods} payee=${payee} />` },
      { name: 'payouts', label: 'Payouts', show: () => html`<${Panel} flush><${Listing} embedded spec=${PAYOUTS} fixed=${fixed} /></${Panel}>` },
    ],
  };
}

export default function Payee({ id }) {
  return html`<${RecordPage} query=${`{ payee(id: ${literal(id)}) { id displayName businessName businessType email phone role taxId archived payeeContractId createdAt verification { status reviewRejectType } } }`} of="payee" watch="KYB|Payee|Payout" list=${{ page: 'payees', title: 'Payees' }} make=${make} />`;
}
