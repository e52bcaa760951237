// One payout: where it stands and where it goes.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { words } from '../lib/format.js';
import { RecordPage } from '../parts/record.js';
import { States } from '../parts/states.js';
import { Money, Status, Time, To, accountOf } from '../parts/value.js';

const NODES = [
  { name: 'pending', x: 0, y: 0 },
  { name: 'processing', x: 1, y: 0 },
  { name: 'completed', x: 2, y: 0 },
  { name: 'cancelled', x: 1, y: 1 },
  { name: 'failed', x: 2, y: 1 },
];
const MOVES = [['pending', 'processing'], ['processing', 'completed'], ['pending', 'cancelled'], ['processing', 'failed']];

function make(payout) {
  const { destination: to } = payout;
  return {
    title: `Payout ${payout.id}`,
    status: html`<${Status} of=${payout.status} />`,
    amount: html`<${Money} minor=${payout.amountMinor} currency=${payout.currencyCode} />`,
    above: html`<section class="panel"><${States} label="Status" nodes=${NODES} moves=${MOVES} now=${payout.status} passed=${['completed', 'failed'].includes(payout.status) ? ['pending', 'processing'] : ['pending']} /></section>`,
    facts: [
      ['To', accountOf(to)],
      ['In the name of', to.accountName],
      ['Bank', to.bankName ?? to.bic],
      ['Payee', payout.payeeId ? html`<${To} page="payees" id=${payout.payeeId} />` : 'you'],
      ['Wallet', html`<${To} page="wallets" id=${payout.walletId} />`],
      ['Approval', words(payout.approvalStatus)],
      ['Asked for', html`<${Time} at=${payout.createdAt} />`],
      payout.completedAt && ['Completed', html`<${Time} at=${payout.completedAt} />`],
      ['Failure', payout.failureCode],
      ['Reference of the bank', payout.providerReference],
    ],
  };
}

export default function Payout({ id }) {
  return html`<${RecordPage} query=${`{ payout(id: ${literal(id)}) { id status approvalStatus amountMinor currencyCode payeeId walletId createdAt completedAt failureCode providerReference destination { iban accountNumber accountName bankName bic } } }`} of="payout" watch="Payout" list=${{ page: 'payouts', title: 'Payouts' }} make=${make} />`;
}
