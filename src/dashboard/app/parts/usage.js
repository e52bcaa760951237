// What a contract has used of each metric: how much of its plan, a chart, limits and prices.

import { html, useState } from '../vendor/preact.js';
import { literal } from '../lib/api.js';
import { count, day, isoDay, quantity } from '../lib/format.js';
import { useAsk } from '../lib/read.js';
import { path } from '../lib/route.js';
import { useWho } from '../lib/who.js';
import { Bars } from './chart.js';
import { Actions } from './form.js';
import { Facts } from './record.js';
import { Empty, Read } from './state.js';
import { Day, Period, Quantity, Time } from './value.js';
import { Listing } from './list.js';

const SEATS = 'platform.seat.active';

const SPANS = { '7 days': [7, 'day'], '30 days': [30, 'day'], '90 days': [90, 'day'], '2 days': [2, 'hour'] };

/** Decimal texts become numbers only to be drawn; the table below a chart has them as they are. */
function Series({ contract, metric, until }) {
  const [span, setSpan] = useState('30 days');
  const [days, bucket] = SPANS[span];
  const to = new Date(new Date(until).getTime() + 86400000);
  const from = new Date(to.getTime() - days * 86400000);
  // Seats are told by the day alone.
  const spans = Object.keys(SPANS).filter((one) => metric !== SEATS || SPANS[one][1] === 'day');
  const read = useAsk(`{ usageSeries(contractId: ${literal(contract)}, metric: ${literal(metric)}, bucket: "${bucket}", from: "${isoDay(from)}", to: "${isoDay(to)}") { points { start quantity events } } }`, 'Usage');
  return html`<div class="actions">${spans.map((one) => html`<button type="button" class="button plain small" aria-pressed=${one === span ? 'true' : 'false'} onClick=${() => setSpan(one)}>${one}</button>`)}</div>
    <${Read} from=${read} lines=${4}>${({ usageSeries: { points } }) => points.every((point) => Number(point.quantity) === 0)
      ? html`<${Empty} title="Nothing was used in this time." />`
      : html`<${Bars} title=${`${metric} a ${bucket}`} labels=${points.map((point) => (bucket === 'hour' ? new Date(point.start).toISOString().slice(11, 16) : day(point.start).replace(/[,.]? ?\d{4}/, '')))} series=${[{ label: 'Used', values: points.map((point) => Number(point.quantity)) }]} format=${(value) => quantity(String(value))} short=${(value) => count(value)} />`}</${Read}>`;
}

const limit = (contract, metric) => ({
  label: 'Limit',
  field: 'setUsageLimitPolicy',
  title: `Limit of ${metric.metricName}`,
  about: 'A hard limit refuses what goes beyond it; a soft one counts it and tells you.',
  fields: [
    { name: 'capQuantity', label: 'The most in a period', kind: 'decimal', value: metric.capQuantity ?? '', about: 'Nothing removes the limit.' },
    { name: 'capMode', label: 'Beyond it', kind: 'choice', required: true, choices: ['soft', 'hard'], labels: { soft: 'Count and tell (soft)', hard: 'Refuse (hard)' }, value: metric.capMode ?? 'soft' },
  ],
  input: ({ capQuantity, capMode }) => ({ contractId: contract, metric: metric.metricName, capQuantity: capQuantity ?? null, capMode }),
  reads: 'capQuantity',
  done: 'The limit is set.',
});

const seats = (contract) => ({
  label: 'Seats',
  field: 'changeSeats',
  fields: [{ name: 'seats', label: 'How many there are', kind: 'whole', required: true }],
  input: (values) => ({ contractId: contract, ...values }),
  reads: 'seats',
  done: (made) => `There are ${made.seats} seats now.`,
});

export function Price({ contract, metric }) {
  const read = useAsk(`{ price(contractId: ${literal(contract)}, metricName: ${literal(metric)}) { version effectiveFrom config { scheme currency unitPrice packageSize percentBps rounding allotment { includedUnits rollover } commitment { minimumMinor spendCapMinor usageCap } tiers { upTo unitPrice flatAmount } } } }`);
  if (read.error?.code === 'NOT_FOUND') return html`<p class="soft">It has no price on this contract today. <a href=${path('prices', null, { contract, metric })}>Work one out</a></p>`;
  return html`<${Read} from=${read} lines=${2}>${({ price }) => html`<${PriceOf} price=${price} /><p><a href=${path('prices', null, { contract, metric })}>Try another price</a></p>`}</${Read}>`;
}

function PriceOf({ price: { config, effectiveFrom, version } }) {
  return html`<${Facts} of=${[
    ['Scheme', config.scheme.replaceAll('_', ' ')],
    config.unitPrice && ['Unit price', `${config.unitPrice} ${config.currency}`],
    config.packageSize && ['Package', config.packageSize],
    config.percentBps && ['Percent', `${config.percentBps / 100} %`],
    config.tiers && ['Tiers', html`<ul>${config.tiers.map((tier) => html`<li>${tier.upTo ? `up to ${quantity(tier.upTo)}` : 'beyond'}: ${[tier.unitPrice, tier.flatAmount && `${tier.flatAmount} flat`].filter(Boolean).join(' + ')} ${config.currency}</li>`)}</ul>`],
    config.allotment && ['Included', `${quantity(config.allotment.includedUnits)}, ${config.allotment.rollover}`],
    ['In force from', html`<${Day} on=${effectiveFrom} /> (version ${version})`],
  ]} />`;
}

const correct = (row) => ({
  label: 'Correct',
  field: 'correctLateUsage',
  title: 'Charge for it with the next usage document',
  fields: [
    { name: 'reason', label: 'What the customer reads', most: 512, about: 'Without it: the metric, the day, and that it was recorded late.' },
    { name: 'amountMinor', label: 'Amount in minor units', kind: 'whole', about: 'Without it: by the price of the closed period.' },
  ],
  input: (values) => ({ eventId: row.id, ...values }),
  done: 'It is corrected.',
});

const LATE = {
  label: 'Late events',
  field: 'lateUsage',
  node: 'id: eventId metric quantity occurredAt receivedAt adjustmentId',
  columns: [
    { label: 'Metric', show: (row) => row.metric },
    { label: 'Quantity', kind: 'number', show: (row) => html`<${Quantity} of=${row.quantity} />` },
    { label: 'Happened', kind: 'middle', show: (row) => html`<${Time} at=${row.occurredAt} />` },
    { label: 'Came', show: (row) => html`<${Time} at=${row.receivedAt} />` },
    { label: html`<span class="hidden">Actions</span>`, kind: 'number', show: (row, again) => (row.adjustmentId ? 'corrected' : html`<${Actions} small done=${again} of=${[correct(row)]} />`) },
  ],
  empty: { title: 'None came late.', text: 'Events of a period that is closed already are kept here, to be corrected: the next usage document charges for them as that period was priced.' },
};

function MetricCard({ contract, metric, again, until }) {
  const [open, setOpen] = useState(false);
  const of = metric.percentOfCap ?? metric.percentOfPlan;
  const ofSeats = metric.metricName === SEATS;
  return html`<section class="panel stack"><header class="panel-head"><div><h2>${metric.metricName}</h2><p class="soft"><${Period} from=${metric.periodStart} until=${metric.periodEnd} /></p></div>
      <div class="actions"><${Actions} small of=${[ofSeats ? seats(contract) : limit(contract, metric), { label: open ? 'Close' : 'Chart and price', click: () => setOpen(!open) }]} done=${again} /></div></header>
    <p class="figure-line"><b class="figure-value"><${Quantity} of=${metric.used} /></b>${ofSeats && ' days of seats'}${metric.includedUnits && html` of <${Quantity} of=${metric.includedUnits} /> included`}${metric.capQuantity && html`, ${metric.capMode} limit <${Quantity} of=${metric.capQuantity} />`}</p>
    ${of && html`<meter min="0" max="100" high="80" optimum="0" value=${Math.min(100, Number(of))} aria-label=${`${of} % used`}></meter>`}
    ${metric.overflowed && html`<p class="soft">More was used than can be counted.</p>`}
    ${open && html`<${Series} contract=${contract} metric=${metric.metricName} until=${until} /><h3>Price</h3><${Price} contract=${contract} metric=${metric.metricName} />`}</section>`;
}

export function Usage({ contract }) {
  const { account } = useWho();
  const id = literal(contract);
  // Live accounts have no test clocks: asking for one would refuse all of it.
  const clock = account.mode === 'demo' ? `testClock(contractId: ${id}) { now }` : '';
  const read = useAsk(`{ usage(contractId: ${id}) { metrics { metricName used includedUnits percentOfPlan percentOfCap capQuantity capMode overflowed periodStart periodEnd } blocked { metricName reason periodStart periodEnd } } ${clock} }`, 'Usage|Invoice');
  return html`<${Read} from=${read}>${({ usage, testClock }) => html`<div class="stack">
    ${(usage.blocked ?? []).map((one) => html`<div class="notice info"><p><b>${one.metricName}</b> cannot be billed for <${Period} from=${one.periodStart} until=${one.periodEnd} />: ${one.reason}</p></div>`)}
    ${usage.metrics.length === 0 && html`<section class="panel flush"><${Empty} title="Nothing was used in the open period.">Metrics stand here from their first event on, seats once there are any. They are billed where the contract has a subscription and a price of them.</${Empty}></section>`}
    ${usage.metrics.every((metric) => metric.metricName !== SEATS) && html`<div class="actions"><${Actions} small of=${[seats(contract)]} done=${read.again} /></div>`}
    ${usage.metrics.map((metric) => html`<${MetricCard} key=${metric.metricName} contract=${contract} metric=${metric} again=${read.again} until=${testClock?.now ?? new Date().toISOString()} />`)}
    <h2>Late events</h2><section class="panel flush"><${Listing} embedded spec=${LATE} fixed=${{ contractId: contract }} /></section></div>`}</${Read}>`;
}
