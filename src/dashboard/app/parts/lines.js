// The lines of a document with its sums.

import { html } from '../vendor/preact.js';
import { Money, Period, Quantity, To } from './value.js';

function Made({ of, currency }) {
  if (!of) return null;
  return html`<details><summary class="soft">How it was made</summary><p><code>${of.formula}</code></p></details>`;
}

export function Lines({ of: document, lines }) {
  const { currency } = document;
  return html`<table class="table prose" aria-label="Lines"><thead><tr><th scope="col">Description</th><th scope="col" class="middle">Period</th><th scope="col" class="number">Quantity</th><th scope="col" class="number wide">Unit price</th><th scope="col" class="number middle">Tax</th><th scope="col" class="number">Amount</th></tr></thead>
    <tbody>${lines.map((line) => html`<tr key=${line.id}><td>${line.description} ${line.subscriptionId && html`<span class="soft"><${To} page="subscriptions" id=${line.subscriptionId}>subscription ${line.subscriptionId}</${To}></span>`}<${Made} of=${line.ratingBreakdown} /></td>
      <td class="middle">${line.periodStart && html`<${Period} from=${line.periodStart} until=${line.periodEnd} />`}</td>
      <td class="number"><${Quantity} of=${line.quantity} /></td>
      <td class="number wide"><${Money} minor=${line.unitPriceMinor} currency=${currency} /></td>
      <td class="number middle">${line.taxCategory} ${line.taxRate} %</td>
      <td class="number"><${Money} minor=${line.amountMinor} currency=${currency} /></td></tr>`)}</tbody></table>`;
}

export function Sums({ of: document }) {
  const { currency } = document;
  const rows = [
    ['Subtotal', document.subtotalMinor],
    document.discountMinor !== 0 && ['Discount', -document.discountMinor],
    ...document.taxSummary.filter((tax) => tax.taxMinor !== 0 || tax.reason).map((tax) => [`Tax ${tax.taxCategory} ${tax.taxRate} %${tax.reason ? `, ${tax.reason}` : ''}`, tax.taxMinor]),
    ['Total', document.grandTotalMinor, true],
    document.creditAppliedMinor > 0 && ['Paid by credit', -document.creditAppliedMinor],
    ['Open', document.outstandingMinor, true],
  ];
  return html`<table class="table sums-table" aria-label="Sums"><tbody>${rows.filter(Boolean).map(([label, minor, strong]) => html`<tr><th scope="row">${label}</th><td class="number"><${Money} minor=${minor} currency=${currency} strong=${strong} /></td></tr>`)}</tbody></table>`;
}
