// How the business stands: recurring revenue, what was billed and came in, what is open, and the
// latest of everything.

import { html, useEffect, useState } from '../vendor/preact.js';
import { isLasting } from '../lib/api.js';
import { count, money, moneyShort, month } from '../lib/format.js';
import { useLive } from '../lib/live.js';
import { useAsk } from '../lib/read.js';
import { path } from '../lib/route.js';
import { useWho } from '../lib/who.js';
import { Bars, Line, Share } from '../parts/chart.js';
import { say } from '../parts/dialog.js';
import { Listing } from '../parts/list.js';
import { Panel } from '../parts/record.js';
import { Loading, Problem } from '../parts/state.js';
import { Ago, Money } from '../parts/value.js';
import { INVOICES } from './invoices.js';
import { PAYMENTS } from './payments.js';

/** The events that change it. */
const WATCH = 'Invoice|Subscription|Payment';
/** After how long the server makes another one for sure. */
const KEPT = 31_000;

const OVERVIEW = `{ overview(months: MONTHS) { asOf counts { contracts activeSubscriptions customers } currencies { currency recurringMinor
  movement { month newMinor expansionMinor contractionMinor churnedMinor recurringMinor } billed { month amountMinor } collected { month amountMinor }
  outstanding { notDueMinor to30Minor to60Minor to90Minor olderMinor } failedPayments { count amountMinor } } } }`;

/** How an amount is set: one of many digits is smaller, to stay in its card. */
const setting = (minor, currency) => money(minor, currency).length > 11 && 'long';

export function Figures({ of: { counts, currencies, asOf }, shown }) {
  const { currency } = shown;
  const open = Object.values(shown.outstanding).reduce((sum, minor) => sum + minor, 0);
  const late = open - shown.outstanding.notDueMinor;
  return html`<dl class="figures">
    <div class="figure"><dt>Recurring a month</dt><dd class=${setting(shown.recurringMinor, currency)}><${Money} minor=${shown.recurringMinor} currency=${currency} /><span class="soft">${money(shown.recurringMinor * 12, currency)} a year</span></dd></div>
    <div class="figure"><dt>Open</dt><dd class=${setting(open, currency)}><a href=${path('invoices')}><${Money} minor=${open} currency=${currency} /></a><span class="soft">${late > 0 ? html`${money(late, currency)} overdue` : 'nothing overdue'}</span></dd></div>
    <div class="figure"><dt>Failed, 30 days</dt><dd><a href=${path('payments', null, { status: 'failed' })}>${count(shown.failedPayments.count)}</a><span class="soft">${money(shown.failedPayments.amountMinor, currency)}</span></dd></div>
    <div class="figure"><dt>Subscriptions</dt><dd><a href=${path('subscriptions')}>${count(counts.activeSubscriptions)}</a><span class="soft">${count(counts.contracts)} ${counts.contracts === 1 ? 'contract' : 'contracts'} in force</span></dd></div>
    <div class="figure"><dt>Customers</dt><dd><a href=${path('customers')}>${count(counts.customers)}</a><span class="soft">as of <${Ago} at=${asOf} /></span></dd></div>
  </dl>`;
}

function Charts({ shown }) {
  const { currency, movement, billed, collected, outstanding } = shown;
  const format = (minor) => money(Math.round(minor), currency);
  const short = (minor) => moneyShort(minor, currency);
  const months = movement.map((one) => month(one.month));
  const series = (name, label, tone) => ({ label, tone, values: movement.map((one) => one[name]) });
  const lost = (name, label, tone) => ({ label, tone, values: movement.map((one) => -Math.abs(one[name])) });
  const came = new Map(collected.map((one) => [one.month, one.amountMinor]));
  return html`<div class="panels">
    <${Panel}><${Line} title="Recurring revenue" labels=${months} series=${[{ label: currency, values: movement.map((one) => one.recurringMinor) }]} format=${format} short=${short} /></${Panel}>
    <${Panel}><${Bars} stacked title="What moved it" labels=${months} series=${[series('newMinor', 'New', 'good'), series('expansionMinor', 'Expansion', 0), lost('contractionMinor', 'Contraction', 'warn'), lost('churnedMinor', 'Churned', 'bad')]} format=${format} short=${short} /></${Panel}>
    <${Panel}><${Bars} title="Billed and collected" labels=${billed.map((one) => month(one.month))} series=${[{ label: 'Billed', tone: 1, values: billed.map((one) => one.amountMinor) }, { label: 'Collected', tone: 'good', values: billed.map((one) => came.get(one.month) ?? 0) }]} format=${format} short=${short} /></${Panel}>
    <${Panel} title="Open by age"><${Share} title="Open by age" format=${format} parts=${[{ label: 'Not due', value: outstanding.notDueMinor, tone: 'good' }, { label: 'Up to 30 days late', value: outstanding.to30Minor, tone: 0 }, { label: '31 to 60 days', value: outstanding.to60Minor, tone: 'warn' }, { label: '61 to 90 days', value: outstanding.to90Minor, tone: 5 }, { label: 'Older', value: outstanding.olderMinor, tone: 'bad' }]} /></${Panel}></div>`;
}

function Business() {
  const [months, setMonths] = useState(12);
  const [chosen, choose] = useState(null);
  const read = useAsk(OVERVIEW.replace('MONTHS', months), WATCH);
  // What is read right after an event may have been made before it: it is read once more.
  const [heard, setHeard] = useState(0);
  useLive(WATCH, () => setHeard(heard + 1));
  useEffect(() => {
    const timer = heard && setTimeout(read.again, KEPT);
    return () => clearTimeout(timer);
  }, [heard, read.again]);
  if (read.error && !read.data) return read.error.code === 'NOT_AVAILABLE' ? null : html`<${Panel}><${Problem} error=${read.error} again=${!isLasting(read.error) && read.again} /></${Panel}>`;
  if (!read.data) return html`<${Loading} lines=${4} />`;
  const { overview } = read.data;
  const shown = overview.currencies.find((one) => one.currency === chosen) ?? overview.currencies[0];
  if (!shown) return null;
  return html`<div class="overview-choices">${overview.currencies.length > 1 && html`<label class="filter"><span class="hidden">Currency</span><select value=${shown.currency} onChange=${(event) => choose(event.target.value)}>${overview.currencies.map((one) => html`<option>${one.currency}</option>`)}</select></label>`}
      <label class="filter"><span class="hidden">Time</span><select value=${months} onChange=${(event) => setMonths(Number(event.target.value))}>${[6, 12, 24].map((one) => html`<option value=${one}>${one} months</option>`)}</select></label></div>
    <${Figures} of=${overview} shown=${shown} /><${Charts} key=${shown.currency} shown=${shown} />`;
}

/** Of a sandbox that was not filled yet: a year of business at a press of its owner. */
function Fill() {
  const { me, account } = useWho();
  const read = useAsk(account.mode === 'demo' && account.expiresAt ? '{ demoFill { status done total } }' : null);
  const fill = read.data?.demoFill;
  const runs = fill?.status === 'running';
  const may = account.status === 'active' && (me.role === 'owner' || runs);
  useEffect(() => {
    const timer = runs && setTimeout(read.again, 1000);
    return () => clearTimeout(timer);
  }, [runs, read.data]);
  if (!fill || !may || fill.status === 'done') return null;
  const press = async () => {
    const answer = await fetch('/api/v1/demo/fill', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    if (!answer.ok) say((await answer.json().catch(() => ({}))).error ?? 'That did not work.');
    read.again();
  };
  return html`<section class="panel fill"><h2>Try it with a year of business</h2>
    <p class="soft">${fill.status === 'failed' ? 'It was broken off; what was made until then is there.' : 'Contracts, usage, invoices and payments of a whole year, made by the same commands as your own.'}</p>
    ${runs ? html`<progress max=${fill.total || 1} value=${fill.done} aria-label="Filling"></progress><p class="soft">${fill.done} of ${fill.total} steps</p>` : fill.status === 'none' && html`<div class="buttons"><button type="button" class="button" onClick=${press}>Fill this sandbox</button></div>`}</section>`;
}

const latest = (spec, columns) => ({ ...spec, short: true, columns: spec.columns.filter((column) => columns.includes(column.label)).map((column) => ({ ...column, kind: column.kind?.replace('wide', '') })) });

export default function Overview() {
  return html`<header class="head"><h1>Overview</h1></header><${Fill} /><${Business} />
    <div class="panels">
      <${Panel} flush title="Latest invoices" actions=${html`<a href=${path('invoices')}>All</a>`}><${Listing} embedded size=${6} spec=${latest(INVOICES, ['Number', 'Status', 'Total'])} /></${Panel}>
      <${Panel} flush title="Latest payments" actions=${html`<a href=${path('payments')}>All</a>`}><${Listing} embedded size=${6} spec=${latest(PAYMENTS, ['Payment', 'Status', 'Amount'])} /></${Panel}></div>`;
}
