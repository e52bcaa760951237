// A price, worked out while it is typed: what quantities would cost by it, what closed periods of
// a contract would have billed, and putting it on the contract.

import { html, useEffect, useMemo, useState } from '../vendor/preact.js';
import { act, advice, ask, literal } from '../lib/api.js';
import { count, decimalOf, isTwofold, isoDay, minorOf, money, moneyShort, quantity } from '../lib/format.js';
import { usePlace } from '../lib/route.js';
import { useMay } from '../lib/who.js';
import { Line } from '../parts/chart.js';
import { say } from '../parts/dialog.js';
import { CURRENCIES } from '../parts/drafting.js';
import { Field, TWOFOLD } from '../parts/field.js';
import { Panel } from '../parts/record.js';
import { Empty } from '../parts/state.js';
import { Money, Period, Quantity } from '../parts/value.js';

const SCHEMES = { per_unit: 'A price for each unit', graduated: 'Graduated: each band at its price', volume: 'Volume: all at the price of the band reached', tiered: 'Tiered: a flat amount for a band', package: 'Packages', percentage: 'A percentage' };

const FIRST = {
  scheme: 'graduated', currency: 'EUR', rounding: 'half_up', unitPrice: '0.02', packageSize: '1000', percent: '2.9',
  tiers: [{ upTo: '1000', unitPrice: '0.02', flatAmount: '' }, { upTo: '', unitPrice: '0.0125', flatAmount: '' }],
  includedUnits: '', rollover: 'none', minimum: '', spendCap: '', usageCap: '', quantities: '100 1000 2500 10000',
};

const isBanded = ({ scheme }) => ['graduated', 'volume', 'tiered'].includes(scheme);

/** The decimals that are asked for, by the names of their fields. */
function numbersOf(form) {
  const names = ['includedUnits', 'usageCap'];
  if (['per_unit', 'package'].includes(form.scheme)) names.push('unitPrice');
  if (form.scheme === 'package') names.push('packageSize');
  const price = form.scheme === 'tiered' ? 'flatAmount' : 'unitPrice';
  const ofTier = (tier, index) => [[`upTo${index}`, tier.upTo], [`price${index}`, tier[price]]];
  return [...names.map((name) => [name, form[name]]), ...(isBanded(form) ? form.tiers.flatMap(ofTier) : [])];
}

/** What is wrong with which field, where a text does not stand for what it is sent as. */
function wrongOf(form) {
  const amounts = ['minimum', 'spendCap'].filter((name) => form[name].trim() && minorOf(form[name], form.currency) === null);
  const wrong = Object.fromEntries(amounts.map((name) => [name, `It must be an amount in ${form.currency}, such as 12.50.`]));
  for (const [name, text] of numbersOf(form)) if (isTwofold(text)) wrong[name] = `It ${TWOFOLD}`;
  if (form.scheme === 'percentage' && minorOf(form.percent, 'EUR') === null) wrong.percent = 'It must be a percent with two decimals at most.';
  return wrong;
}

/** A number as the API writes it; what is none goes as it is, to be refused in its words. */
const sent = (text) => decimalOf(text) ?? text;

/** The configuration that the form stands for. */
function configOf(form) {
  const banded = isBanded(form);
  const bound = (text) => (text.trim() ? minorOf(text, form.currency) : undefined);
  const commitment = { minimumMinor: bound(form.minimum), spendCapMinor: bound(form.spendCap), usageCap: sent(form.usageCap) || undefined };
  return {
    scheme: form.scheme, currency: form.currency, rounding: form.rounding,
    unitPrice: ['per_unit', 'package'].includes(form.scheme) ? sent(form.unitPrice) : undefined,
    packageSize: form.scheme === 'package' ? sent(form.packageSize) : undefined,
    percentBps: form.scheme === 'percentage' ? minorOf(form.percent, 'EUR') : undefined,
    tiers: banded ? form.tiers.map((tier) => ({ upTo: sent(tier.upTo) || undefined, unitPrice: form.scheme === 'tiered' ? undefined : sent(tier.unitPrice), flatAmount: form.scheme === 'tiered' ? sent(tier.flatAmount) : undefined })) : undefined,
    allotment: form.includedUnits ? { includedUnits: sent(form.includedUnits), rollover: form.rollover } : undefined,
    commitment: Object.values(commitment).some((value) => value !== undefined) ? commitment : undefined,
  };
}

function Tiers({ form, put, wrong }) {
  const set = (index, name, value) => put('tiers', form.tiers.map((tier, at) => (at === index ? { ...tier, [name]: value } : tier)));
  const flat = form.scheme === 'tiered';
  const add = () => put('tiers', [...form.tiers.slice(0, -1), { upTo: String(Number(sent(form.tiers.at(-2)?.upTo ?? '0')) + 1000), unitPrice: form.tiers.at(-1).unitPrice, flatAmount: form.tiers.at(-1).flatAmount }, form.tiers.at(-1)]);
  return html`<fieldset class="field group"><legend>Bands</legend>${form.tiers.map((tier, index) => {
    const last = index === form.tiers.length - 1;
    return html`<div class="tier">
      ${last ? html`<p class="soft tier-last">beyond</p>` : html`<${Field} field=${{ name: `upTo${index}`, label: 'Up to', kind: 'decimal', required: true }} value=${tier.upTo} set=${(value) => set(index, 'upTo', value)} problem=${wrong[`upTo${index}`]} />`}
      <${Field} field=${{ name: `price${index}`, label: flat ? 'Flat amount' : 'Unit price', kind: 'decimal', required: true }} value=${flat ? tier.flatAmount : tier.unitPrice} set=${(value) => set(index, flat ? 'flatAmount' : 'unitPrice', value)} problem=${wrong[`price${index}`]} />
      <span></span>${last ? html`<span></span>` : html`<button type="button" class="button plain small" onClick=${() => put('tiers', form.tiers.filter((_, at) => at !== index))}>Remove<span class="hidden"> band ${index + 1}</span></button>`}</div>`;
  })}<p><button type="button" class="button plain small" onClick=${add}>Add a band</button></p></fieldset>`;
}

const POINTS = 20;

/** What the quantities come to, and a curve up to twice the largest of them. */
function Answer({ config, quantities }) {
  const [state, setState] = useState({});
  const most = Math.max(1, ...quantities.map(Number)) * 2;
  const curve = Array.from({ length: POINTS + 1 }, (_, index) => String(Math.round((most / POINTS) * index * 100) / 100));
  const query = config && quantities.length ? `{ evaluatePrice(config: ${literal(config)}, quantities: ${literal([...quantities, ...curve])}) { results { quantity amountMinor currency flags { includedUnitsApplied minimumApplied spendCapApplied usageCapApplied } lines { from upTo quantity unitPrice flatAmount packages amount } } } }` : '';
  useEffect(() => {
    if (!query) return undefined;
    const control = new AbortController();
    const timer = setTimeout(() => ask(query, control.signal).then((data) => setState({ results: data.evaluatePrice.results }), (error) => !control.signal.aborted && setState((old) => ({ ...old, error }))), 180);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [query]);
  if (!query) return html`<${Empty} title=${config ? 'Name a quantity.' : 'Correct the price and the amounts come back.'} />`;
  if (state.error) return html`<div role="status"><p class="problem-title">${state.error.message}</p><p class="soft">Correct it and the amounts come back.</p></div>`;
  if (!state.results) return null;
  const asked = state.results.slice(0, quantities.length);
  const drawn = state.results.slice(quantities.length);
  const limits = (flags) => [flags.includedUnitsApplied && 'included units', flags.minimumApplied && 'minimum', flags.spendCapApplied && 'spend cap', flags.usageCapApplied && 'usage cap'].filter(Boolean).join(', ');
  return html`<table class="table" aria-label="Amounts"><thead><tr><th scope="col">Quantity</th><th scope="col" class="middle">By band</th><th scope="col" class="number">Amount</th></tr></thead><tbody aria-live="polite">
      ${asked.map((one, index) => html`<tr key=${index}><td><${Quantity} of=${one.quantity} /></td><td class="middle">${one.lines.map((line) => html`<div class="soft">${quantity(line.quantity)}${line.unitPrice ? ` × ${line.unitPrice}` : ''}${line.flatAmount ? ` + ${line.flatAmount}` : ''} = ${line.amount}</div>`)}${limits(one.flags) && html`<div class="soft">${limits(one.flags)}</div>`}</td><td class="number"><${Money} minor=${one.amountMinor} currency=${one.currency} strong /></td></tr>`)}</tbody></table>
    <${Line} title="Amount by quantity" labels=${drawn.map((one) => count(Number(one.quantity)))} series=${[{ label: config.currency, values: drawn.map((one) => one.amountMinor) }]} format=${(minor) => money(Math.round(minor), config.currency)} short=${(minor) => moneyShort(minor, config.currency)} />`;
}

function BackTest({ config }) {
  const { query } = usePlace();
  const may = useMay();
  const [values, setValues] = useState({ contractId: query.get('contract') ?? '', metricName: query.get('metric') ?? '', from: isoDay(Date.now() - 365 * 86400000), to: isoDay(Date.now() + 366 * 86400000) });
  const [shown, setShown] = useState(null);
  const [error, setError] = useState(null);
  const set = (name) => (value) => setValues((old) => ({ ...old, [name]: value }));
  const test = async (event) => {
    event.preventDefault();
    setError(null);
    setShown(null);
    try {
      const { backtestPrice } = await ask(`{ backtestPrice(contractId: ${literal(values.contractId)}, metricName: ${literal(values.metricName)}, config: ${literal(config)}, from: ${literal(values.from)}, to: ${literal(values.to)}) { currency periods { periodStart periodEnd quantity billedMinor wouldBeMinor differenceMinor } totals { billedMinor wouldBeMinor differenceMinor } } }`);
      setShown(backtestPrice);
    } catch (refused) {
      setError(refused);
    }
  };
  const save = async () => {
    setError(null);
    try {
      const made = await act('savePrice', { contractId: values.contractId, metricName: values.metricName, effectiveFrom: isoDay(Date.now()), config }, 'version');
      say(`Version ${made.version} of the price is on the contract, from today on.`);
    } catch (refused) {
      setError(refused);
    }
  };
  const row = (one, strong) => html`<td class="number middle"><${Money} minor=${one.billedMinor} currency=${shown.currency} strong=${strong} /></td><td class="number"><${Money} minor=${one.wouldBeMinor} currency=${shown.currency} strong=${strong} /></td><td class="number"><${Money} minor=${one.differenceMinor} currency=${shown.currency} strong=${strong} /></td>`;
  return html`<form onSubmit=${test} noValidate><div class="form-grid">
      <${Field} field=${{ name: 'contractId', label: 'Contract', required: true, example: 'its id' }} value=${values.contractId} set=${set('contractId')} />
      <${Field} field=${{ name: 'metricName', label: 'Metric', required: true, example: 'api.calls' }} value=${values.metricName} set=${set('metricName')} />
      <${Field} field=${{ name: 'from', label: 'Periods that begin from', kind: 'date', required: true }} value=${values.from} set=${set('from')} />
      <${Field} field=${{ name: 'to', label: 'and before', kind: 'date', required: true }} value=${values.to} set=${set('to')} /></div>
    <div class="buttons"><button type="submit" class="button plain" disabled=${!config || !values.contractId || !values.metricName}>Try it on the past</button>${may('savePrice') && html`<button type="button" class="button" disabled=${!config || !values.contractId || !values.metricName} onClick=${save}>Put it on the contract from today</button>`}</div></form>
    ${error && html`<div class="notice bad" role="alert"><p>${error.message}</p><p>${advice(error)}</p></div>`}
    ${shown && (shown.periods.length === 0 ? html`<${Empty} title="No period was closed in that time." />` : html`<table class="table" aria-label="Back-test"><thead><tr><th scope="col">Period</th><th scope="col" class="number middle">Quantity</th><th scope="col" class="number middle">Billed</th><th scope="col" class="number">Would be</th><th scope="col" class="number">Difference</th></tr></thead><tbody>
      ${shown.periods.map((one) => html`<tr><td><${Period} from=${one.periodStart} until=${one.periodEnd} /></td><td class="number middle"><${Quantity} of=${one.quantity} /></td>${row(one)}</tr>`)}
      <tr><th scope="row">All</th><td class="middle"></td>${row(shown.totals, true)}</tr></tbody></table>`)}`;
}

export default function Prices() {
  const [form, setForm] = useState(FIRST);
  const put = (name, value) => setForm((old) => ({ ...old, [name]: value }));
  const wrong = wrongOf(form);
  const field = (field) => html`<${Field} field=${field} value=${form[field.name]} set=${(value) => put(field.name, value)} problem=${wrong[field.name]} />`;
  const config = useMemo(() => (Object.keys(wrong).length ? null : configOf(form)), [form]);
  const quantities = form.quantities.split(/[\s;]+/).filter((one) => /^\d+(\.\d+)?$/.test(one)).slice(0, 20);
  const banded = isBanded(form);
  return html`<header class="head"><h1>Prices</h1></header>
    <div class="calc"><${Panel} title="The price">
      <div class="form-grid">${field({ name: 'scheme', label: 'Scheme', kind: 'choice', required: true, choices: Object.keys(SCHEMES), labels: SCHEMES })}
      ${field({ name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: CURRENCIES })}</div>
      ${['per_unit', 'package'].includes(form.scheme) && field({ name: 'unitPrice', label: form.scheme === 'package' ? 'Price of a package' : 'Price of a unit', kind: 'decimal', required: true })}
      ${form.scheme === 'package' && field({ name: 'packageSize', label: 'Units in a package', kind: 'decimal', required: true })}
      ${form.scheme === 'percentage' && field({ name: 'percent', label: 'Percent of the quantity', kind: 'decimal', required: true })}
      ${banded && html`<${Tiers} form=${form} put=${put} wrong=${wrong} />`}
      <div class="form-grid">${field({ name: 'includedUnits', label: 'Included units', kind: 'decimal' })}
      ${form.includedUnits && field({ name: 'rollover', label: 'What is left of them', kind: 'choice', required: true, choices: ['none', 'rollover'], labels: { none: 'is gone', rollover: 'adds to the next period' } })}
      ${field({ name: 'minimum', label: 'The least of a period', kind: 'money' })}${field({ name: 'spendCap', label: 'The most of a period', kind: 'money' })}${field({ name: 'usageCap', label: 'The most units', kind: 'decimal' })}
      ${field({ name: 'rounding', label: 'Rounding', kind: 'choice', required: true, choices: ['half_up', 'half_even', 'up', 'down'] })}</div></${Panel}>
    <${Panel} title="What it comes to">${field({ name: 'quantities', label: 'Quantities', required: true, about: 'Separated by spaces; each is a period of its own.' })}<${Answer} config=${config} quantities=${quantities} /></${Panel}></div>
    <${Panel} title="On a contract"><${BackTest} config=${config} /></${Panel}>`;
}
