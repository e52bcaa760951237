// A sandbox seller with something of everything, for the pages of the dashboard.

import { openSeller } from './house.mjs';

const CARD = { cardNumber: '4242424242424242', cvv: '123', expMonth: 12, expYear: 2030 };

/** What of it is on which page: addresses of objects below `/dashboard`. */
export async function openShopOfEverything(origin) {
  const seller = await openSeller(origin);
  const { billing, payments, contract, minted } = seller;
  const today = new Date().toISOString().slice(0, 10);
  await billing('POST', `/contracts/${contract.id}/amendments`, { expectedBaseVersion: 1, status: 'active' });
  const subscription = await billing('POST', `/contracts/${contract.id}/subscriptions`, {
    frequency: 'monthly', priceMinor: 2900, currency: 'EUR', startDate: today, description: 'Team plan', taxRate: '19',
  });
  const invoice = await billing('POST', '/invoices', { contractId: contract.id, origin: 'recurring' });
  await billing('POST', '/usage/metrics', { name: 'calls', unit: 'call', aggregation: 'sum' });
  await billing('PUT', `/usage/contracts/${contract.id}/metrics/calls/price`, {
    effectiveFrom: today,
    config: { scheme: 'per_unit', currency: 'EUR', rounding: 'half_up', unitPrice: '0.02', allotment: { includedUnits: '100', rollover: 'none' } },
  });
  await billing('POST', '/usage/events', {
    contractId: String(contract.id), metric: 'calls', quantity: '250', occurredAt: new Date().toISOString(), idempotencyKey: 'first',
  });
  await billing('POST', `/contracts/${contract.id}/credits/top-up`, { creditType: 'promotional', amountMinor: 500, currency: 'EUR', reason: 'welcome' });
  const payment = await payments('POST', '/initialize-payment', {
    externalOrderRef: 'order/1', amount: 100, currencyCode: 'EUR', skip3DS: true, cardData: CARD, billingDetails: { country: 'DE', zip: '10115' },
    orderData: { totalAmount: 100, payeeDistribution: [{ payeeId: minted.payees[0].id, amount: 30.5 }] },
  });
  const webhook = await payments('POST', '/webhooks', { webhookUrl: 'http://127.0.0.1:9/hooks', eventTypes: ['InvoicePaid'] });
  return {
    ...seller,
    billed: invoice,
    addresses: [
      '', '/contracts', `/contracts/${contract.id}`,
      ...['timeline', 'subscriptions', 'invoices', 'usage', 'items', 'credits', 'versions'].map((tab) => `/contracts/${contract.id}?tab=${tab}`),
      '/subscriptions', `/subscriptions/${subscription.id}`, '/invoices', `/invoices/${invoice.id}`, `/invoices/${invoice.id}?tab=settlement`,
      '/drafts', '/credits', '/customers', `/customers/${contract.sellerCustomerId ?? seller.customer.id}`, '/metrics', '/metrics/calls', '/endpoints',
      '/prices', '/dead-letters', '/payments', `/payments/${encodeURIComponent(payment.paymentId ?? 'order/1')}`, '/links', '/link-subscriptions', '/promo-codes',
      '/payees', `/payees/${minted.payees[0].id}`, '/vendors', '/wallets', `/wallets/${minted.wallets[0].id}`, '/topups', '/payouts',
      '/splits', `/splits/${minted.splitRuleId}`, '/webhooks', `/webhooks/${webhook.id}`, '/deliveries', '/allowlist', '/event-log', '/event-log/1',
      '/keys', '/people', '/settings', '/tax', '/audit',
    ],
  };
}

/** Signs a person in on the page for it, with the keyboard alone. */
export async function signIn(page, origin, { email, password }) {
  await page.goto(`${origin}/dashboard`);
  await page.locator('#email').focus();
  await page.keyboard.type(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
}
