// One split rule: its lines, what they would do to an amount, and putting it in force.

import { html, useState } from '../vendor/preact.js';
import { act, advice, ask, literal } from '../lib/api.js';
import { minorOf, percent, words } from '../lib/format.js';
import { useMay } from '../lib/who.js';
import { say } from '../parts/dialog.js';
import { Field } from '../parts/field.js';
import { Panel, RecordPage } from '../parts/record.js';
import { RULE } from '../parts/splitting.js';
import { Money, Status, To } from '../parts/value.js';

const LINE = 'payeeId priority isEnabled allocationType allocationPercentBps allocationFixedAmountMinor feePercentBps feeFixedAmountMinor minAmountMinor maxAmountMinor';
const FIELDS = `id name active version versionInForce allocationMode amountBase overAllocationPolicy remainderPolicy lines { ${LINE} }`;

const part = (bps, fixed) => [bps ? percent(bps) : '', fixed ? html`<${Money} minor=${fixed} currency="EUR" />` : ''];

function Lines({ rule }) {
  return html`<table class="table" aria-label="Lines"><thead><tr><th scope="col">Payee</th><th scope="col" class="number middle">Priority</th><th scope="col" class="number">Share</th><th scope="col" class="number">Fee</th><th scope="col" class="number wide">At least</th><th scope="col" class="number wide">At most</th></tr></thead><tbody>
    ${rule.lines.map((line) => html`<tr key=${line.payeeId}><td><${To} page="payees" id=${line.payeeId}>Payee ${line.payeeId}</${To}>${!line.isEnabled && html` <${Status} of="off" />`}</td><td class="number middle">${line.priority}</td><td class="number">${part(line.allocationPercentBps, line.allocationFixedAmountMinor)}</td><td class="number">${part(line.feePercentBps, line.feeFixedAmountMinor)}</td><td class="number wide"><${Money} minor=${line.minAmountMinor} currency="EUR" /></td><td class="number wide"><${Money} minor=${line.maxAmountMinor} currency="EUR" /></td></tr>`)}</tbody></table>`;
}

function Preview({ rule, again }) {
  const may = useMay();
  const [amount, setAmount] = useState('100');
  const [shown, setShown] = useState(null);
  const [error, setError] = useState(null);
  const minor = minorOf(amount, 'EUR');
  const preview = async (event) => {
    event?.preventDefault();
    setError(null);
    try {
      const { previewSplit } = await ask(`{ previewSplit(ruleId: ${literal(rule.id)}, amountMinor: ${literal(minor)}) { activationReceipt outcome { grossAmountMinor totalFeeMinor remainderMinor overAllocated shares { payeeId shareAmountMinor feeAmountMinor netAmountMinor effects } } } }`);
      setShown(previewSplit);
    } catch (refused) {
      setError(refused);
    }
  };
  const activate = async () => {
    try {
      await act('activateSplit', { ruleId: rule.id, activationReceipt: shown.activationReceipt }, 'id');
      say(`${rule.name} is in force.`);
      setShown(null);
      again();
    } catch (refused) {
      setError(refused);
    }
  };
  return html`<form onSubmit=${preview} noValidate class="preview"><${Field} field=${{ name: 'amount', label: 'A payment of, EUR', kind: 'money', required: true }} value=${amount} set=${setAmount} problem=${minor === null ? 'An amount such as 12.50.' : ''} /><button type="submit" class="button plain" disabled=${minor === null}>Preview</button></form>
    ${error && html`<div class="notice bad" role="alert"><p>${error.message}</p><p>${advice(error)}</p></div>`}
    ${shown && html`<table class="table" aria-label="Preview"><thead><tr><th scope="col">Goes to</th><th scope="col" class="number middle">Share</th><th scope="col" class="number middle">Fee</th><th scope="col" class="number">Gets</th></tr></thead><tbody>
      ${shown.outcome.shares.map((share) => html`<tr key=${share.payeeId}><td>Payee ${share.payeeId} <span class="soft">${share.effects.map(words).join(', ')}</span></td><td class="number middle"><${Money} minor=${share.shareAmountMinor} currency="EUR" /></td><td class="number middle"><${Money} minor=${share.feeAmountMinor} currency="EUR" /></td><td class="number"><${Money} minor=${share.netAmountMinor} currency="EUR" strong /></td></tr>`)}
      <tr><td>You</td><td class="middle"></td><td class="number middle"><${Money} minor=${shown.outcome.totalFeeMinor} currency="EUR" /></td><td class="number"><${Money} minor=${shown.outcome.remainderMinor + shown.outcome.totalFeeMinor} currency="EUR" strong /></td></tr></tbody></table>
      ${shown.outcome.overAllocated && html`<p>The lines come to more than the payment: ${words(rule.overAllocationPolicy).toLowerCase()}.</p>`}
      ${may('activateSplit') && html`<div class="buttons"><button type="button" class="button" onClick=${activate}>Put version ${rule.version} in force</button></div>`}`}`;
}

function make(rule, _, again) {
  return {
    title: rule.name,
    status: rule.active ? html`<${Status} of="active" />` : html`<${Status} of="not in force" tone="plain" />`,
    actions: [RULE(rule)],
    facts: [
      ['Lines are', rule.allocationMode === 'weight' ? 'weights of each other' : 'parts and amounts'],
      ['Of', words(rule.amountBase)],
      ['Where lines come to more', words(rule.overAllocationPolicy)],
      ['What is left goes to', rule.remainderPolicy === 'seller' ? 'you' : 'the last payee'],
      ['Version', rule.version],
      rule.versionInForce && ['In force', `version ${rule.versionInForce}`],
    ],
    tabs: [{ name: 'lines', label: 'Lines', show: () => html`<${Panel} flush title="Lines"><${Lines} rule=${rule} /></${Panel}><${Panel} title="What it does"><${Preview} key=${rule.version} rule=${rule} again=${again} /></${Panel}>` }],
  };
}

export default function Split({ id }) {
  return html`<${RecordPage} query=${`{ splitRule(id: ${literal(id)}) { ${FIELDS} } }`} of="splitRule" list=${{ page: 'splits', title: 'Splits' }} make=${make} />`;
}
