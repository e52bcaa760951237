// The forms by which money leaves.

import { go, path } from '../lib/route.js';

/** The key of a payout is drawn when its form is opened: sent twice, it is one payout. */
export const payOut = (wallet) => {
  const idempotencyKey = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  return {
    label: 'Pay out',
    main: true,
    field: 'createPayout',
    when: wallet.withdrawableBalanceMinor > 0,
    fields: [
      { name: 'payoutMethodId', label: 'Payout method', required: true, example: 'its id', about: wallet.payeeId ? 'One of the payee.' : 'One of your own.' },
      { name: 'amountMinor', label: `Amount, ${wallet.currency}`, kind: 'money', currency: wallet.currency, required: true },
    ],
    input: (values) => ({ walletId: wallet.id, currencyCode: wallet.currency, idempotencyKey, ...values }),
    done: 'The payout is under way.',
    after: (made) => go(path('payouts', made.id)),
  };
};

export const PAYOUT_METHOD = {
  label: 'Your bank account',
  field: 'saveSellerPayoutMethod',
  about: 'Where your own payouts go.',
  fields: [
    { name: 'accountName', label: 'In the name of', required: true },
    { name: 'currency', label: 'Currency', kind: 'choice', required: true, choices: ['EUR', 'USD', 'GBP', 'DKK', 'NOK', 'SEK'], value: 'EUR' },
    { name: 'bankAccountType', label: 'Sort', kind: 'choice', required: true, choices: ['iban', 'uk_local', 'us_local', 'swift'], value: 'iban', labels: { iban: 'IBAN', uk_local: 'United Kingdom', us_local: 'United States', swift: 'SWIFT' } },
    { name: 'iban', label: 'IBAN', required: true, when: (values) => values.bankAccountType === 'iban' },
    { name: 'accountNumber', label: 'Account number', required: true, when: (values) => values.bankAccountType !== 'iban' },
    { name: 'sortCode', label: 'Sort code', required: true, when: (values) => values.bankAccountType === 'uk_local' },
    { name: 'routingNumber', label: 'Routing number', required: true, when: (values) => values.bankAccountType === 'us_local' },
    { name: 'bic', label: 'BIC', when: (values) => ['iban', 'swift'].includes(values.bankAccountType) },
    { name: 'bankCountry', label: 'Country of the bank', most: 2, example: 'DE' },
    { name: 'bankName', label: 'Bank' },
  ],
  done: (made) => `Saved as payout method ${made.id}.`,
};
