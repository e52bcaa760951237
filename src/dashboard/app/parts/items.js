// The items of a contract as a form has them. What is billed once has a price, work is billed when
// it is completed, and all else is kept as it was stated.

import { whole } from '../lib/api.js';
import { major } from '../lib/format.js';

const SORTS = {
  one_time: 'One-time amount', adjustment: 'Adjustment', project: 'Project', milestone: 'Milestone', recurring: 'Recurring',
  usage: 'Usage', marketplace: 'Marketplace', credit: 'Credit', hybrid: 'Hybrid',
};
const WORK = ['project', 'milestone'];
const PRICED = ['one_time', 'adjustment', ...WORK];
const TERMS = { weekly: 'week', monthly: 'month', quarterly: 'quarter', semiannual: 'half-year', annual: 'year' };

/** The members of a configuration that have fields of their own. */
const OWN = ['description', 'amountMinor', 'taxRate', 'status', 'frequency'];

const BLANK = { componentType: 'one_time', description: '', quantity: '1', amountMinor: '', taxRate: '', status: 'pending', frequency: '' };

const plain = ({ lineItemId, componentType, quantity, componentConfig }) => ({ lineItemId, componentType, quantity, componentConfig: componentConfig ?? {} });

function rowOf(item, currency) {
  const { componentType, quantity, componentConfig: config } = item;
  const texts = OWN.filter((name) => typeof config[name] === 'string' && name !== 'amountMinor').map((name) => [name, config[name]]);
  const price = whole(config.amountMinor);
  const amountMinor = price === null ? '' : major(price, currency);
  const row = { ...BLANK, ...Object.fromEntries(texts), componentType, quantity, amountMinor };
  return { ...row, was: { item, text: JSON.stringify(row) } };
}

/** An item as it is sent: what was not touched, and what has no field, stays as it was. */
function sent({ componentType, quantity, ...stated }, { was, ...row }) {
  if (was && was.text === JSON.stringify(row)) return was.item;
  const same = was?.item.componentType === componentType;
  const stays = ([name, value]) => (same ? !(name in stated) || (name === 'amountMinor' && whole(value) === null && stated[name] === undefined) : !OWN.includes(name));
  const kept = Object.entries(was?.item.componentConfig ?? {}).filter(stays);
  const set = Object.entries(stated).filter(([, value]) => value !== undefined);
  return { lineItemId: was?.item.lineItemId, componentType, quantity, componentConfig: Object.fromEntries([...kept, ...set]) };
}

/** The field of all items of a contract. */
export function itemsOf({ lineItems, currency }) {
  const price = (more) => ({ name: 'amountMinor', label: `Price of one, ${currency}`, kind: 'money', currency, ...more });
  const isPriced = (row) => PRICED.includes(row.componentType);
  return {
    name: 'lineItems', label: 'Items', kind: 'rows', one: 'item', blank: BLANK, row: sent,
    value: (lineItems ?? []).map((item) => rowOf(plain(item), currency)),
    fields: [
      { name: 'componentType', label: 'Sort', kind: 'choice', required: true, choices: Object.keys(SORTS), labels: SORTS },
      { name: 'quantity', label: 'Quantity', kind: 'decimal', required: true },
      { name: 'description', label: 'Description', broad: true, most: 512 },
      price({ required: true, when: isPriced }),
      price({ when: (row) => !isPriced(row) }),
      { name: 'taxRate', label: 'Tax, %', kind: 'decimal', when: isPriced },
      { name: 'status', label: 'The work is', kind: 'choice', required: true, choices: ['pending', 'completed'], when: (row) => WORK.includes(row.componentType) },
      { name: 'frequency', label: 'Every', kind: 'choice', choices: Object.keys(TERMS), labels: TERMS, none: 'not stated', when: (row) => ['recurring', 'hybrid'].includes(row.componentType) },
    ],
  };
}

/** `items` where they are not those of the contract. */
export const changed = ({ lineItems }, items) => (JSON.stringify(items) === JSON.stringify((lineItems ?? []).map(plain)) ? undefined : items);
