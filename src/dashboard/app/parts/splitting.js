// The form of a split rule.

import { ask } from '../lib/api.js';
import { major } from '../lib/format.js';

/** What may be split has two decimals, in whichever currency it comes. */
const CURRENCY = 'EUR';

const isPart = (row) => row.allocationType !== 'fixed_minor';
const isAmount = (row) => row.allocationType !== 'percent_bps';

const amount = (name, label, more) => ({ name, label, kind: 'money', currency: CURRENCY, ...more });

/** Payees are chosen by name; of an account with very many they are named by their ids. */
function payee(payees, all) {
  const field = { name: 'payeeId', label: 'Payee', required: true };
  if (!all) return { ...field, example: 'its id' };
  return { ...field, kind: 'choice', none: 'Choose one', choices: payees.map(({ id }) => id), labels: Object.fromEntries(payees.map(({ id, displayName }) => [id, displayName])) };
}

const blank = (rows) => ({ payeeId: '', allocationType: 'percent_bps', priority: String(rows.length + 1), isEnabled: true });

/** Amounts and parts as they are typed; nothing for 0. */
function rowOf(line) {
  const typed = (value) => (value ? major(value, CURRENCY) : '');
  const bound = (value) => (value === null ? '' : major(value, CURRENCY));
  return {
    ...line,
    priority: String(line.priority),
    allocationPercentBps: typed(line.allocationPercentBps),
    allocationFixedAmountMinor: typed(line.allocationFixedAmountMinor),
    feePercentBps: typed(line.feePercentBps),
    feeFixedAmountMinor: typed(line.feeFixedAmountMinor),
    minAmountMinor: bound(line.minAmountMinor),
    maxAmountMinor: bound(line.maxAmountMinor),
  };
}

const linesOf = (rule, payees, all) => ({
  name: 'lines', label: 'Lines', kind: 'rows', one: 'line', required: true, blank, fold: 'Fee, bounds and order',
  value: rule ? rule.lines.map(rowOf) : [blank([])],
  row: (found) => ({ ...found, isEnabled: Boolean(found.isEnabled) }),
  fields: (values) => {
    const weight = values.allocationMode === 'weight';
    return [
      payee(payees, all),
      { name: 'allocationType', label: weight ? 'Weighs by' : 'Gets', kind: 'choice', required: true, choices: ['percent_bps', 'fixed_minor', 'mixed'], labels: { percent_bps: 'a part', fixed_minor: 'an amount', mixed: 'a part and an amount' } },
      { name: 'allocationPercentBps', label: 'Part, %', kind: 'percent', required: true, when: isPart, example: '60' },
      amount('allocationFixedAmountMinor', 'Amount', { required: true, when: isAmount, example: '12.50' }),
      { name: 'feePercentBps', label: 'Your fee, %', kind: 'percent', more: true },
      amount('feeFixedAmountMinor', 'Your fee, amount', { more: true }),
      amount('minAmountMinor', 'At least', { more: true }),
      amount('maxAmountMinor', 'At most', { more: true }),
      { name: 'priority', label: 'Its turn', kind: 'whole', required: true, more: true, about: 'Lower comes first.' },
      { name: 'isEnabled', label: 'Takes part', kind: 'yes', more: true },
    ];
  },
});

export const RULE = (rule) => ({
  label: rule ? 'Edit' : 'New rule',
  main: !rule,
  field: 'saveSplitRule',
  title: rule ? `Edit ${rule.name}` : 'New split rule',
  about: rule?.active ? 'It goes on sharing as it was activated until you activate this version.' : undefined,
  load: async () => {
    const { payees } = await ask('{ payees(first: 100) { nodes { id displayName archived } pageInfo { hasNextPage } } }');
    const named = new Set(rule?.lines.map(({ payeeId }) => payeeId));
    const open = payees.nodes.filter(({ id, archived }) => !archived || named.has(id));
    return { fields: fieldsOf(rule, open, !payees.pageInfo.hasNextPage) };
  },
  input: (values) => ({ ruleId: rule?.id, ...values }),
  reads: 'id version',
  done: (made) => `Version ${made.version} is saved.`,
});

const fieldsOf = (rule, payees, all) => [
  { name: 'name', label: 'Name', required: true, most: 128, value: rule?.name },
  { name: 'allocationMode', label: 'Lines are', kind: 'choice', required: true, choices: ['absolute', 'weight'], value: rule?.allocationMode ?? 'absolute', labels: { absolute: 'parts and amounts', weight: 'weights of each other' } },
  linesOf(rule, payees, all),
  { name: 'amountBase', label: 'Of', kind: 'choice', required: true, choices: ['gross_payment', 'net_settled'], value: rule?.amountBase ?? 'gross_payment' },
  { name: 'overAllocationPolicy', label: 'Where lines come to more', kind: 'choice', required: true, choices: ['scale_down', 'by_priority'], value: rule?.overAllocationPolicy ?? 'scale_down' },
  { name: 'remainderPolicy', label: 'What is left goes to', kind: 'choice', required: true, choices: ['seller', 'last_payee'], value: rule?.remainderPolicy ?? 'seller', labels: { seller: 'you', last_payee: 'the last payee' } },
];
