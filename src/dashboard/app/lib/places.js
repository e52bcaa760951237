// Every page with its name, its place in the navigation, and the keys that lead there.

export const GROUPS = [
  ['', [['overview', 'Overview', 'o']]],
  ['Billing', [
    ['contracts', 'Contracts', 'c'],
    ['subscriptions', 'Subscriptions', 's'],
    ['invoices', 'Invoices', 'i'],
    ['credits', 'Credits', 'r'],
    ['customers', 'Customers', 'u'],
  ]],
  ['Metering', [
    ['metrics', 'Usage', 'm'],
    ['prices', 'Prices', '$'],
    ['dead-letters', 'Dead letters', 'd'],
  ]],
  ['Payments', [
    ['payments', 'Payments', 'p'],
    ['links', 'Payment links', 'l'],
    ['payees', 'Payees', 'y'],
    ['wallets', 'Wallets', 'w'],
    ['payouts', 'Payouts', 'a'],
    ['splits', 'Splits', 'x'],
  ]],
  ['Developers', [
    ['webhooks', 'Webhooks', 'h'],
    ['event-log', 'Events', 'e'],
    ['keys', 'API keys', 'k'],
  ]],
  ['Account', [
    ['people', 'People', 'n'],
    ['settings', 'Settings', 't'],
    ['audit', 'Audit log', 'g'],
  ]],
];

/** Pages that are reached from another one: which entry of the navigation they stand under, and
 * their names. */
const UNDER = {
  drafts: ['invoices', 'Drafts'],
  deliveries: ['webhooks', 'Deliveries'],
  'promo-codes': ['links', 'Promo codes'],
  'link-subscriptions': ['links', 'Subscriptions by payment link'],
  vendors: ['payees', 'Vendors'],
  topups: ['wallets', 'Top-ups'],
  tax: ['settings', 'Tax'],
  allowlist: ['webhooks', 'Allowlist'],
  endpoints: ['metrics', 'Inbound endpoints'],
};

/** Pages of one object, by the page that lists them. */
export const OBJECTS = {
  contracts: 'contract',
  subscriptions: 'subscription',
  invoices: 'invoice',
  drafts: 'draft',
  customers: 'customer',
  metrics: 'metric',
  payments: 'payment',
  links: 'link',
  'link-subscriptions': 'link-subscription',
  payees: 'payee',
  wallets: 'wallet',
  payouts: 'payout',
  splits: 'split',
  webhooks: 'webhook',
  deliveries: 'delivery',
  'event-log': 'event',
  'dead-letters': 'dead-letter',
};

export const ALL = GROUPS.flatMap(([, pages]) => pages);

export const entryOf = (page) => UNDER[page]?.[0] ?? page;

export const titleOf = (page) => ALL.find(([name]) => name === page)?.[1] ?? UNDER[page]?.[1] ?? '';
