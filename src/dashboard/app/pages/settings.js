// What the account says of itself, and what it allows.

import { html } from '../vendor/preact.js';
import { ask } from '../lib/api.js';
import { count, words } from '../lib/format.js';
import { useAsk } from '../lib/read.js';
import { useWho } from '../lib/who.js';
import { Actions } from '../parts/form.js';
import { Facts, Panel } from '../parts/record.js';
import { Read } from '../parts/state.js';
import { Code, Day, Status, Time } from '../parts/value.js';
import { path } from '../lib/route.js';

const ACCOUNT = 'sellerAccountId uuid name email phone country taxId addressLine1 addressLine2 city postalCode mode status agreementNumber taxMode defaultTaxRate paymentTermsDays reminderDays usageGraceMinutes portalActions allowedReturnHosts expiresAt goLiveRequestedAt createdAt quotas { contractsPerDay amendmentsPerDay invoicesPerDay } rateLimits { billingPerHour paymentsPerHour }';
const TERMINALS = 'id name rail methods currencies countries mode connector status multicapture baseUrl';
const reads = { reads: 'sellerAccountId' };

/** How often at most, each by its name; 0 is no limit. */
export const limitsOf = (limits) => limits.map(([name, most]) => `${name}: ${most ? count(most) : 'no limit'}`).join(', ');

const profile = (account) => ({
  ...reads, label: 'Edit', field: 'updateSettings', title: 'Who you are', about: 'It stands on documents from the next one on.', first: account, done: 'It is saved.',
  fields: [
    { name: 'name', label: 'Name', required: true, most: 128 }, { name: 'email', label: 'E-mail', kind: 'email', required: true }, { name: 'phone', label: 'Phone' },
    { name: 'addressLine1', label: 'Address' }, { name: 'addressLine2', label: 'Address, second line' }, { name: 'postalCode', label: 'Postal code' }, { name: 'city', label: 'City' },
    { name: 'country', label: 'Country', most: 2, example: 'DE', about: 'Two letters, by ISO 3166-1.' }, { name: 'taxId', label: 'Tax id' },
  ],
});

const billing = (account) => ({
  ...reads, label: 'Edit', field: 'updateSettings', title: 'Documents', first: { ...account, reminderDays: account.reminderDays.join(' '), paymentTermsDays: String(account.paymentTermsDays), usageGraceMinutes: String(account.usageGraceMinutes) }, done: 'It is saved.',
  fields: [
    { name: 'paymentTermsDays', label: 'Days to pay', kind: 'whole', required: true }, { name: 'defaultTaxRate', label: 'Tax that is stated by nobody, %', kind: 'decimal', required: true },
    { name: 'reminderDays', label: 'Reminders', kind: 'wholes', about: 'Days from the due date, such as -3 3 7 14.' },
    { name: 'usageGraceMinutes', label: 'Minutes that a usage period waits for late events', kind: 'whole' },
  ],
});

const tax = (account) => ({ ...reads, label: 'Change', field: 'setTaxMode', title: 'Tax', first: account, done: 'It is saved.', fields: [{ name: 'taxMode', label: 'Tax is', kind: 'choice', required: true, choices: ['manual', 'automatic'], labels: { manual: 'as prices state it', automatic: 'by the rules of the EU' } }] });

const portal = (account) => ({ ...reads, label: 'Change', field: 'setPortalActions', title: 'What buyers may do on their portal', first: { actions: account.portalActions }, done: 'It is saved.', fields: [{ name: 'actions', label: 'They may', kind: 'some', choices: ['pay', 'card', 'cancel', 'resume'], labels: { pay: 'pay invoices', card: 'change their card', cancel: 'cancel subscriptions', resume: 'resume subscriptions' } }], input: ({ actions = [] }) => ({ actions }) });

const hosts = (account) => ({ ...reads, label: 'Change', field: 'setReturnHosts', title: 'Where buyers may be sent back to', first: { hosts: account.allowedReturnHosts.join('\n') }, done: 'It is saved.', fields: [{ name: 'hosts', label: 'Hosts', kind: 'text', clears: true, about: 'One on each line, such as shop.example.com.' }], input: ({ hosts: text }) => ({ hosts: text.split(/\s+/).filter(Boolean) }) });

const terminal = (one) => ({
  label: one ? 'Edit' : 'New terminal', field: 'saveTerminal', title: one ? `Edit ${one.name}` : 'New terminal', about: one ? undefined : 'It is for demo mode; those of live mode are made by the operator.', done: 'The terminal is saved.',
  first: one ? { ...one, currencies: one.currencies.join(' '), countries: one.countries.join(' ') } : {},
  fields: [
    { name: 'name', label: 'Name', required: true }, { name: 'rail', label: 'Rail', kind: 'choice', required: true, choices: ['card', 'apm'], value: 'card', labels: { card: 'Cards', apm: 'Local methods' } },
    { name: 'methods', label: 'Methods', kind: 'some', required: true, choices: ['card', 'apple_pay', 'google_pay', 'bancontact', 'multibanco', 'mbway', 'wero', 'swish'], value: ['card'] },
    { name: 'currencies', label: 'Currencies', kind: 'list', required: true, value: 'EUR' }, { name: 'countries', label: 'Countries', kind: 'list', about: 'All where none is named.' },
    { name: 'multicapture', label: 'Captures in parts', kind: 'yes' },
  ],
  // The operator sets the processor, and makes the terminals of live mode.
  input: (values) => ({ terminalId: one?.id, ...values, mode: one?.mode ?? 'demo', connector: one?.connector ?? 'simulator', multicapture: Boolean(values.multicapture) }),
});

export default function Settings() {
  const { again: who } = useWho();
  const read = useAsk(`{ account { ${ACCOUNT} } terminals { nodes { ${TERMINALS} } } }`);
  const done = () => {
    read.again();
    who();
  };
  const panel = (title, action, facts) => html`<${Panel} title=${title} actions=${action && html`<${Actions} small of=${[action]} done=${done} />`}><${Facts} of=${facts} /></${Panel}>`;
  return html`<header class="head"><h1>Settings</h1></header><${Read} from=${read} lines=${12}>${({ account, terminals }) => html`
    ${panel('You', profile(account), [['Name', account.name], ['E-mail', account.email], ['Phone', account.phone], ['Address', [account.addressLine1, account.addressLine2, [account.postalCode, account.city].filter(Boolean).join(' ')].filter(Boolean).join(', ')], ['Country', account.country ?? 'not said: electronic invoices need it'], ['Tax id', account.taxId ?? 'not said: electronic invoices need it']])}
    ${panel('Documents', billing(account), [['Days to pay', account.paymentTermsDays], ['Tax by default', `${account.defaultTaxRate} %`], ['Reminders', account.reminderDays.map((day) => (day < 0 ? `${-day} days before` : `${day} after`)).join(', ')], ['Late events are waited for', `${account.usageGraceMinutes} minutes`]])}
    <div class="panels">${panel('Tax', tax(account), [['Tax is', account.taxMode === 'automatic' ? 'by the rules of the EU' : 'as prices state it'], ['', html`<a href=${path('tax')}>Rates and what they do</a>`]])}
    ${panel('Portal of buyers', portal(account), [['They may', account.portalActions.length ? account.portalActions.map(words).join(', ') : 'look']])}
    ${panel('Return hosts', hosts(account), [['Buyers go back to', account.allowedReturnHosts.join(', ') || 'nowhere yet']])}</div>
    <${Panel} flush title="Terminals" actions=${html`<${Actions} small of=${[terminal(null)]} done=${done} />`}>
      <table class="table" aria-label="Terminals"><tbody>${terminals.nodes.map((one) => html`<tr key=${one.id}><td>${one.name} <${Status} of=${one.status} /></td><td class="middle">${one.methods.map(words).join(', ')}</td><td class="wide">${one.currencies.join(', ')}</td><td class="middle">${words(one.connector)}, ${one.mode}</td><td class="number"><${Actions} small of=${[terminal(one)]} done=${done} /></td></tr>`)}</tbody></table></${Panel}>
    <${Panel} title="The account" actions=${html`<${Actions} small done=${done} of=${[{ label: 'Go live', field: 'goLive', when: account.mode === 'demo' && !account.expiresAt && !account.goLiveRequestedAt, about: 'The operator is asked for live mode. Test keys end with it.', run: () => ask('mutation { goLive { mode } }'), done: 'The operator is asked.' }]} />`}>
      <${Facts} of=${[['Mode', html`<${Status} of=${account.mode} />`], ['Status', html`<${Status} of=${account.status} />`], account.goLiveRequestedAt && ['Asked to go live', html`<${Time} at=${account.goLiveRequestedAt} />`], account.expiresAt && ['Ends', html`<${Day} on=${account.expiresAt} />`], ['Agreement', account.agreementNumber], ['Id', html`<${Code}>${account.uuid}</${Code}>`], ['Quotas a day', limitsOf([['contracts', account.quotas.contractsPerDay], ['amendments', account.quotas.amendmentsPerDay], ['invoices', account.quotas.invoicesPerDay]])], ['Calls an hour', limitsOf([['billing', account.rateLimits.billingPerHour], ['payments', account.rateLimits.paymentsPerHour]])], ['Since', html`<${Day} on=${account.createdAt} />`]]} /></${Panel}>`}</${Read}>`;
}
