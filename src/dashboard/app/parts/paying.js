// The forms by which money leaves, and of the bank accounts that it goes to.

import { ask, literal } from '../lib/api.js';
import { go, path } from '../lib/route.js';
import { accountOf } from './value.js';

/** The account that a payout goes to: one of the payee's in the currency of the wallet, or one of
 * the seller's own, which was told when it was saved. */
async function methodOf(wallet) {
  const field = { name: 'payoutMethodId', label: 'Payout method', required: true };
  if (!wallet.payeeId) return { ...field, example: 'its id', about: 'One of your own.' };
  const { payoutMethods } = await ask(`{ payoutMethods(payeeId: ${literal(wallet.payeeId)}, first: 100) { nodes { id currency iban accountNumber accountName } } }`);
  const fit = payoutMethods.nodes.filter(({ currency }) => currency === wallet.currency);
  if (!fit.length) throw new Error(`The payee has no bank account in ${wallet.currency} yet.`);
  return { ...field, kind: 'choice', choices: fit.map(({ id }) => id), value: fit[0].id, labels: Object.fromEntries(fit.map((one) => [one.id, [accountOf(one), one.accountName].filter(Boolean).join(', ')])) };
}

/** The key of a payout is drawn when its form is opened: sent twice, it is one payout. */
export const payOut = (wallet) => {
  const idempotencyKey = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  return {
    label: 'Pay out',
    main: true,
    field: 'createPayout',
    when: wallet.withdrawableBalanceMinor > 0,
    load: async () => ({ fields: [await methodOf(wallet), { name: 'amountMinor', label: `Amount, ${wallet.currency}`, kind: 'money', currency: wallet.currency, required: true }] }),
    input: (values) => ({ walletId: wallet.id, currencyCode: wallet.currency, idempotencyKey, ...values }),
    done: 'The payout is under way.',
    after: (made) => go(path('payouts', made.id)),
  };
};

const SORTS = { iban: 'IBAN', uk_local: 'United Kingdom', us_local: 'United States', swift: 'SWIFT' };

const ACCOUNT = [
  { name: 'accountName', label: 'In the name of', required: true, most: 128 },
  { name: 'bankAccountType', label: 'Sort', kind: 'choice', required: true, choices: Object.keys(SORTS), value: 'iban', labels: SORTS },
  { name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: ['EUR', 'GBP', 'USD'], value: 'EUR' },
  { name: 'iban', label: 'IBAN', required: true, when: (values) => values.bankAccountType === 'iban' },
  { name: 'accountNumber', label: 'Account number', required: true, when: (values) => values.bankAccountType !== 'iban' },
  { name: 'sortCode', label: 'Sort code', required: true, when: (values) => values.bankAccountType === 'uk_local' },
  { name: 'routingNumber', label: 'Routing number', required: true, when: (values) => values.bankAccountType === 'us_local' },
  { name: 'bic', label: 'BIC', when: (values) => ['iban', 'swift'].includes(values.bankAccountType) },
  { name: 'bankCountry', label: 'Country of the bank', required: true, most: 2, example: 'DE', when: (values) => values.bankAccountType !== 'iban' },
  { name: 'bankName', label: 'Bank', most: 128 },
];

export const PAYOUT_METHOD = {
  label: 'Your bank account',
  field: 'saveSellerPayoutMethod',
  about: 'Where your own payouts go.',
  fields: ACCOUNT,
  done: (made) => `Saved as payout method ${made.id}.`,
};

export const addPayoutMethod = (payee) => ({
  label: 'Add a bank account',
  field: 'addPayoutMethod',
  when: !payee.archived,
  title: `Bank account of ${payee.displayName}`,
  about: 'Only its last four characters are shown once it is saved.',
  fields: ACCOUNT,
  input: (values) => ({ payeeId: payee.id, ...values }),
  done: (made) => `Saved as payout method ${made.id}.`,
});

export const deletePayoutMethod = (payee, method) => ({
  label: 'Remove',
  danger: true,
  field: 'deletePayoutMethod',
  title: 'Remove the bank account',
  about: 'Payouts that were made to it keep their copy of it.',
  input: () => ({ payeeId: payee.id, methodId: method.id }),
  reads: 'deleted',
  done: 'The bank account is removed.',
});
