// One wallet and every movement of it.

import { html } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { words } from '../lib/format.js';
import { Listing } from '../parts/list.js';
import { payOut } from '../parts/paying.js';
import { Panel, RecordPage } from '../parts/record.js';
import { Money, Status, Time, To } from '../parts/value.js';

const entries = (currency) => ({
  label: 'Entries',
  field: 'walletEntries',
  node: 'id cause createdAt paymentId payoutId reference postings { account amountMinor }',
  watch: 'Payment|Payout',
  columns: [
    { label: 'Entry', show: (row) => words(row.cause) },
    { label: 'Of', kind: 'middle', show: (row) => (row.paymentId ? html`<${To} page="payments" id=${row.paymentId} />` : row.payoutId ? html`<${To} page="payouts" id=${row.payoutId}>payout ${row.payoutId}</${To}>` : row.reference) },
    { label: 'When', kind: 'wide', show: (row) => html`<${Time} at=${row.createdAt} />` },
    { label: 'Postings', kind: 'number', show: (row) => html`<ul>${row.postings.map((posting) => html`<li><span class="soft">${posting.account}</span> <${Money} minor=${posting.amountMinor} currency=${currency} /></li>`)}</ul>` },
  ],
  empty: { title: 'Nothing has moved yet.' },
});

function make(wallet) {
  const { currency } = wallet;
  const figure = (label, minor) => html`<div class="figure"><dt>${label}</dt><dd><${Money} minor=${minor} currency=${currency} /></dd></div>`;
  return {
    title: wallet.type === 'main' ? `Your wallet, ${currency}` : `Wallet ${wallet.id}, ${currency}`,
    status: html`<${Status} of=${wallet.status} />`,
    lead: wallet.payeeId && html`of <${To} page="payees" id=${wallet.payeeId}>payee ${wallet.payeeId}</${To}>`,
    actions: [payOut(wallet)],
    above: html`<dl class="figures">${figure('Available', wallet.availableBalanceMinor)}${figure('Pending', wallet.pendingBalanceMinor)}${figure('Reserved', wallet.reservedBalanceMinor)}${figure('May be paid out now', wallet.withdrawableBalanceMinor)}</dl>`,
    tabs: [{ name: 'entries', label: 'Entries', show: () => html`<${Panel} flush><${Listing} embedded spec=${entries(currency)} fixed=${{ walletId: wallet.id }} /></${Panel}>` }],
  };
}

export default function Wallet({ id }) {
  return html`<${RecordPage} query=${`{ wallet(id: ${literal(id)}) { id type currency status payeeId pendingBalanceMinor availableBalanceMinor reservedBalanceMinor withdrawableBalanceMinor } }`} of="wallet" watch="Payment|Payout" list=${{ page: 'wallets', title: 'Wallets' }} make=${make} />`;
}
