// Tax rates, and what the rules say of a sale.

import { html, useEffect, useState } from '../vendor/preact.js';
import { args, ask, literal } from '../lib/api.js';
import { isoDay, minorOf, words } from '../lib/format.js';
import { useAsk } from '../lib/read.js';
import { path } from '../lib/route.js';
import { Field } from '../parts/field.js';
import { Facts, Panel } from '../parts/record.js';
import { Read } from '../parts/state.js';
import { Day, Money } from '../parts/value.js';

function Rates({ country }) {
  const read = useAsk(`{ taxRates(country: ${literal(country)}, on: "${isoDay(Date.now())}") { rates { kind rate from until } } }`);
  return html`<${Read} from=${read} lines=${2}>${({ taxRates: { rates } }) => html`<table class="table" aria-label="Rates"><tbody>${rates.map((one) => html`<tr><td>${words(one.kind)}</td><td class="number">${one.rate} %</td><td>since <${Day} on=${one.from} /></td></tr>`)}</tbody></table>`}</${Read}>`;
}

export default function Tax() {
  const [sale, setSale] = useState({ sellerCountry: 'DE', customerCountry: 'FR', taxId: '', taxKind: 'standard', amount: '100' });
  const [found, setFound] = useState({});
  const set = (name) => (value) => setSale((old) => ({ ...old, [name]: value }));
  const { amount, ...given } = sale;
  const minor = minorOf(amount, 'EUR');
  const asked = { ...given, sellerCountry: given.sellerCountry.toUpperCase(), customerCountry: given.customerCountry.toUpperCase(), amountMinor: minor };
  const query = minor !== null && given.customerCountry.length === 2 && `{ evaluateTax${args(asked)} { taxCategory taxRate taxMinor reason taxIdValid } }`;
  useEffect(() => {
    if (!query) return undefined;
    const timer = setTimeout(() => ask(query).then((data) => setFound({ tax: data.evaluateTax }), (error) => setFound({ error })), 200);
    return () => clearTimeout(timer);
  }, [query]);
  const field = (one) => html`<${Field} field=${{ required: true, ...one }} value=${sale[one.name]} set=${set(one.name)} />`;
  return html`<nav class="crumbs" aria-label="Where you are"><a href=${path('settings')}>Settings</a></nav><header class="head"><h1>Tax</h1></header>
    <p class="about-page">What the rules of the EU say of a sale. The rates were written down without a source: check them before you file by them.</p>
    <div class="panels"><${Panel} title="A sale"><div class="form-grid">${field({ name: 'sellerCountry', label: 'You are in', most: 2 })}${field({ name: 'customerCountry', label: 'The customer is in', most: 2 })}${field({ name: 'taxId', label: 'VAT id of the customer', required: false })}${field({ name: 'taxKind', label: 'Kind', kind: 'choice', choices: ['standard', 'reduced', 'zero', 'exempt'] })}${field({ name: 'amount', label: 'Net amount, EUR', kind: 'money' })}</div>
      <div aria-live="polite">${found.error ? html`<p class="problem-title">${found.error.message}</p>` : found.tax && html`<hr /><${Facts} of=${[['Category', found.tax.taxCategory], ['Rate', `${found.tax.taxRate} %`], ['Tax', html`<${Money} minor=${found.tax.taxMinor} currency="EUR" strong />`], ['Why', found.tax.reason], found.tax.taxIdValid !== null && ['VAT id', found.tax.taxIdValid ? 'valid' : 'not valid']]} />`}</div></${Panel}>
    ${sale.customerCountry.length === 2 && html`<${Panel} title=${`Rates of ${sale.customerCountry.toUpperCase()}`}><${Rates} key=${sale.customerCountry} country=${sale.customerCountry.toUpperCase()} /></${Panel}>`}</div>`;
}
