// The forms that change a contract and what is on it.

import { endOfDay, isoDay } from '../lib/format.js';
import { path, go } from '../lib/route.js';
import { changed, itemsOf } from './items.js';

const FREQUENCIES = ['weekly', 'monthly', 'quarterly', 'semiannual', 'annual'];

/** From each status, the ones that a contract may move to. */
const NEXT = { draft: ['active', 'closed'], active: ['suspended', 'closed'], suspended: ['active', 'closed'] };

export const putInForce = (contract) => ({
  label: 'Put in force',
  main: true,
  field: 'amendContract',
  when: contract.status === 'draft',
  title: `Put ${contract.contractNumber} in force`,
  about: 'From then on it is billed.',
  input: () => ({ contractId: contract.id, expectedBaseVersion: contract.version, status: 'active' }),
  reads: 'id',
  done: 'The contract is in force.',
});

export const amend = (contract) => ({
  label: 'Amend',
  field: 'amendContract',
  when: contract.status !== 'closed',
  title: `Amend ${contract.contractNumber}`,
  about: `It makes version ${contract.version + 1}; if somebody else was faster, nothing is changed.`,
  first: { ...contract, status: '', lineItems: undefined },
  fields: [
    { name: 'status', label: 'Status', kind: 'choice', choices: NEXT[contract.status] ?? [], none: 'as it is' },
    { name: 'endDate', label: 'Last day', kind: 'date' },
    { name: 'customerName', label: 'Name of the customer', most: 128, clears: contract.customerName },
    { name: 'customerCompanyName', label: 'Company', most: 255, clears: contract.customerCompanyName },
    itemsOf(contract),
  ],
  input: ({ lineItems, ...values }) => ({ contractId: contract.id, expectedBaseVersion: contract.version, ...values, lineItems: changed(contract, lineItems) }),
  reads: 'id',
  done: 'The contract is amended.',
});

export const newSubscription = (contract) => ({
  label: 'Add a subscription',
  field: 'createSubscription',
  when: ['draft', 'active'].includes(contract.status),
  fields: [
    { name: 'description', label: 'Name of the plan', required: true, most: 256 },
    { name: 'priceMinor', label: `Price of a term, ${contract.currency}`, kind: 'money', currency: contract.currency, required: true, about: 'Before tax. 0 for a plan that only meters.' },
    { name: 'quantity', label: 'Quantity', kind: 'decimal', value: '1' },
    { name: 'frequency', label: 'Term', kind: 'choice', choices: FREQUENCIES, required: true, value: 'monthly' },
    { name: 'startDate', label: 'First day', kind: 'date', required: true, value: isoDay(Date.now()) },
    { name: 'trialDays', label: 'Days of trial', kind: 'whole' },
    { name: 'taxRate', label: 'Tax, %', kind: 'decimal' },
  ],
  input: (values) => ({ contractId: contract.id, currency: contract.currency, ...values }),
  reads: 'id',
  done: 'The subscription is made.',
  after: (made) => go(path('subscriptions', made.id)),
});

export const topUp = (contract) => ({
  label: 'Grant credit',
  field: 'topUpCredits',
  fields: [
    { name: 'amountMinor', label: `Amount, ${contract.currency}`, kind: 'money', currency: contract.currency, required: true },
    { name: 'creditType', label: 'Sort', kind: 'choice', required: true, choices: ['promotional', 'manual', 'gift', 'purchased', 'enterprise'], value: 'promotional' },
    { name: 'reason', label: 'Reason', required: true },
    { name: 'expiresAt', label: 'Expires after', kind: 'date', about: 'Not for what was paid for.' },
  ],
  input: ({ expiresAt, ...values }) => ({ contractId: contract.id, currency: contract.currency, ...values, expiresAt: endOfDay(expiresAt) }),
  reads: '__typename',
  done: 'The credit is granted.',
});

export const subscriptionActions = (subscription) => {
  const of = (values) => ({ subscriptionId: subscription.id, ...values });
  const runs = ['trialing', 'active', 'past_due'].includes(subscription.status);
  return [
    {
      label: 'Change plan', field: 'changePlan', when: runs || subscription.status === 'scheduled', input: of, done: 'The plan is changed.',
      fields: [
        { name: 'priceMinor', label: `Price of a term, ${subscription.currency}`, kind: 'money', currency: subscription.currency },
        { name: 'quantity', label: 'Quantity', kind: 'decimal', required: true, value: subscription.quantity },
        { name: 'effective', label: 'From', kind: 'choice', required: true, choices: ['immediately', 'period_end'], value: 'immediately', labels: { immediately: 'now', period_end: 'the next term' } },
        { name: 'prorate', label: 'Charge and credit by days', kind: 'yes', value: true, when: (values) => values.effective === 'immediately' },
      ],
    },
    { label: 'End the trial', field: 'endTrial', when: subscription.status === 'trialing', about: 'The first paid term begins today.', input: of, done: 'The trial is over.' },
    { label: 'Pause', field: 'pauseSubscription', when: subscription.status === 'active', about: 'The running term is finished, and none begins until it is resumed.', fields: [{ name: 'resumesAt', label: 'Resumes by itself on', kind: 'date' }], input: of, done: 'The subscription pauses.' },
    { label: 'Resume', main: true, field: 'resumeSubscription', when: subscription.status === 'paused' || Boolean(subscription.cancelAt && runs), input: of, done: 'The subscription goes on.' },
    {
      label: 'Cancel', danger: true, field: 'cancelSubscription', when: !['canceled', 'expired'].includes(subscription.status), title: 'Cancel the subscription', input: of, done: 'It is cancelled.',
      fields: [
        { name: 'mode', label: 'When', kind: 'choice', required: true, choices: ['period_end', 'immediately', 'at_date'], value: 'period_end', labels: { period_end: 'at the end of the term', immediately: 'at once', at_date: 'on a day' } },
        { name: 'at', label: 'First day not served', kind: 'date', required: true, when: (values) => values.mode === 'at_date' },
        { name: 'reason', label: 'Reason' },
        { name: 'prorate', label: 'Give unused days back', kind: 'yes' },
      ],
    },
  ];
};
