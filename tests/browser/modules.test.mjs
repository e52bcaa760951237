// What modules of the dashboard come to by themselves, without a browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openModules } from './modules.mjs';

const INVOICE = {
  id: '7', invoiceNumber: 'A-7', status: 'sent', invoiceType: 'invoice', origin: 'one_time', collectionMethod: 'payment_link', currency: 'EUR',
  subtotalMinor: 10_000, discountMinor: 0, taxMinor: 0, grandTotalMinor: 10_000, creditAppliedMinor: 0, outstandingMinor: 10_000,
  sentAt: '2027-01-15T10:00:00Z', billTo: { email: 'ada@example.com' }, taxSummary: [], lines: [], eInvoice: { available: true },
};

test('an invoice that was sent can be sent again while it is open', async () => {
  const modules = await openModules();
  try {
    const { default: Invoice } = await modules.load('pages/invoice.js');
    const { make } = Invoice({ id: '7' }).props;
    const offered = (more) => make({ ...INVOICE, ...more }).actions.find((one) => one.field === 'sendInvoice' && one.when)?.label;
    assert.equal(offered({ status: 'issued', sentAt: null }), 'Send');
    assert.equal(offered({ status: 'overdue', sentAt: null }), 'Send');
    assert.equal(offered({}), 'Send again');
    assert.equal(offered({ status: 'overdue' }), 'Send again');
    assert.equal(offered({ status: 'paid' }), undefined);
    assert.equal(offered({ collectionMethod: 'bank_transfer' }), undefined);
  } finally {
    await modules.close();
  }
});
