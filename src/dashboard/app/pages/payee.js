// One payee: wallets, payout methods, payouts.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { words } from '../lib/format.js';
import { Listing } from '../parts/list.js';
import { Panel, RecordPage } from '../parts/record.js';
import { Day, Status, Time } from '../parts/value.js';
import { PAYOUTS } from './payouts.js';
import { WALLETS } from './wallets.js';

const METHODS = {
  label: 'Payout methods',
  field: 'payoutMethods',
  node: 'id type status currency iban accountName accountNumber sortCode bic bankName createdAt',
  columns: [
    { label: 'Account', show: (row) => row.iban ?? row.accountNumber ?? row.type },
    { label: 'Status', show: (row) => html`<${Status} of=${row.status} />` },
    { label: 'In the name of', kind: 'middle', show: (row) => row.accountName },
    { label: 'Currency', show: (row) => row.currency },
    { label: 'Since', kind: 'wide', show: (row) => html`<${Day} on=${row.createdAt} />` },
  ],
  empty: { title: 'No payout method.', text: 'A bank account is added over the API by whoever onboards the payee.' },
};

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
      { name: 'methods', label: 'Payout methods', show: () => html`<${Panel} flush><${Listing} embedded spec=${METHODS} fixed=${fixed} /></${Panel}>` },
      { name: 'payouts', label: 'Payouts', show: () => html`<${Panel} flush><${Listing} embedded spec=${PAYOUTS} fixed=${fixed} /></${Panel}>` },
    ],
  };
}

export default function Payee({ id }) {
  return html`<${RecordPage} query=${`{ payee(id: ${literal(id)}) { id displayName businessName businessType email phone role taxId archived payeeContractId createdAt verification { status reviewRejectType } } }`} of="payee" watch="KYB|Payee|Payout" list=${{ page: 'payees', title: 'Payees' }} make=${make} />`;
}
