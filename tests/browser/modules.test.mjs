// What modules of the dashboard come to by themselves, without a browser.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { mock, test } from 'node:test';

import { drawn, openModules, textOf } from './modules.mjs';

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

/** A stream of events as a browser has it, all of them by hand. */
class Stream {
  static CLOSED = 2;

  static all = [];

  readyState = 0;

  constructor() {
    Stream.all.push(this);
  }

  addEventListener() {}

  close() {
    this.readyState = Stream.CLOSED;
  }

  opens() {
    this.readyState = 1;
    this.onopen();
  }

  /** To come back to it by itself, or never. */
  breaks(readyState) {
    this.readyState = readyState;
    this.onerror();
  }

  says(eventType) {
    this.onmessage({ data: JSON.stringify({ eventType, objectType: 'invoice' }) });
  }
}

test('what happened while no stream was open is read when one is open again', async () => {
  const page = Object.assign(new EventTarget(), { hidden: false });
  const modules = await openModules('en-GB', { document: page, EventSource: Stream });
  try {
    const { listen, useLive } = await modules.load('lib/live.js');
    mock.timers.enable({ apis: ['setTimeout'] });
    let heard = 0;
    useLive('InvoicePaid', () => (heard += 1));
    const hears = (times) => {
      mock.timers.tick(300);
      assert.equal(heard, times);
    };
    const look = (hidden) => {
      page.hidden = hidden;
      page.dispatchEvent(new Event('visibilitychange'));
    };
    listen();
    Stream.all[0].opens();
    hears(0);
    Stream.all[0].says('InvoicePaid');
    Stream.all[0].says('PayoutPaid');
    hears(1);
    // Another tab was looked at meanwhile.
    look(true);
    assert.equal(Stream.all[0].readyState, Stream.CLOSED);
    look(false);
    Stream.all[1].opens();
    hears(2);
    // It broke before it had told anything, and then after that.
    Stream.all[1].breaks(0);
    Stream.all[1].opens();
    hears(3);
    Stream.all[1].says('InvoicePaid');
    hears(4);
    Stream.all[1].breaks(0);
    Stream.all[1].opens();
    hears(4);
    // The server has taken none for a while.
    Stream.all[1].breaks(Stream.CLOSED);
    mock.timers.tick(5_000);
    Stream.all[2].breaks(Stream.CLOSED);
    mock.timers.tick(5_000);
    assert.equal(Stream.all.length, 3);
    mock.timers.tick(5_000);
    Stream.all[3].opens();
    hears(5);
  } finally {
    mock.timers.reset();
    await modules.close();
  }
});

test('an action keeps its key where the server may have carried it out', async () => {
  const answers = [503, 500, 200, 429, 403];
  const fetch = async () => new Response('{"error":"a reason"}', { status: answers.shift() });
  const modules = await openModules('en-GB', { fetch });
  try {
    const { act, isLost } = await modules.load('lib/api.js');
    const lost = async () => isLost(await act('createCreditNote', {}, 'id', 'key').catch((refused) => refused));
    assert.deepEqual([await lost(), await lost(), await lost()], [true, true, true]);
    assert.deepEqual([await lost(), await lost()], [false, false]);
  } finally {
    await modules.close();
  }
});

test('a number is read as its reader writes it, an amount and a quantity alike', async () => {
  const typed = {
    'en-GB': { '1,000': '1000', '1,234.5': '1234.5', '2.125': '2.125', '1,5': '1.5', '1 000': '1000', '0,125': '0.125', '1,00,0': null, much: null, '-1': null },
    'de-DE': { '1,000': '1.000', '1.234,5': '1234.5', '1.000.000': '1000000', '2,125': '2.125', '0.125': '0.125', '2.5': '2.5', '1.000': null },
  };
  for (const [language, texts] of Object.entries(typed)) {
    const modules = await openModules(language);
    try {
      const { readFields } = await modules.load('parts/field.js');
      const { minorOf } = await modules.load('lib/format.js');
      const fields = [{ name: 'quantity', label: 'Quantity', kind: 'decimal' }];
      for (const [text, quantity] of Object.entries(texts)) {
        const { found, wrong } = readFields(fields, { quantity: text });
        assert.equal(found.quantity ?? null, quantity, `${language} ${text}`);
        assert.equal(Boolean(wrong.quantity), quantity === null, `${language} ${text}`);
      }
      assert.equal(minorOf(language === 'de-DE' ? '1.000,50' : '1,000.50', 'EUR'), 100_050);
      assert.equal(minorOf('0,125', 'EUR'), null, 'no thousands begin with a nought');
    } finally {
      await modules.close();
    }
  }
});

test('the sums of a document add up, those of a credit note with a discount too', async () => {
  const modules = await openModules();
  try {
    const { Sums } = await modules.load('parts/lines.js');
    const taxSummary = [{ taxCategory: 'S', taxRate: '20', taxMinor: -1_800 }];
    const note = { ...INVOICE, subtotalMinor: -10_000, discountMinor: -1_000, taxSummary, grandTotalMinor: -10_800, outstandingMinor: 0 };
    const shown = (of) => drawn(Sums({ of })).filter(({ type }) => type === 'data').map((one) => one.props.value);
    assert.deepEqual(shown(note), [-10_000, 1_000, -1_800, -10_800, 0]);
    assert.deepEqual(shown(INVOICE), [10_000, 10_000, 10_000], 'without a discount there is no row of it');
  } finally {
    await modules.close();
  }
});

test('a period ends on its last day', async () => {
  const modules = await openModules();
  try {
    const { Period } = await modules.load('parts/value.js');
    const shown = (from, until) => textOf(Period({ from, until }));
    assert.equal(shown('2026-11-01', '2026-12-01'), '1 Nov 2026 – 30 Nov 2026');
    assert.equal(shown('2026-11-30', '2026-12-01'), '30 Nov 2026');
    assert.equal(shown('2026-11-30', null), '30 Nov 2026');
  } finally {
    await modules.close();
  }
});

test('every page has a name of its own in the title of its tab', async () => {
  const modules = await openModules();
  try {
    const { OBJECTS, entryOf, titleOf } = await modules.load('lib/places.js');
    const files = await readdir(new URL('../../src/dashboard/app/pages/', import.meta.url));
    const named = files.map((file) => file.replace('.js', '')).filter((page) => page !== 'welcome' && !Object.values(OBJECTS).includes(page));
    assert.deepEqual(named.filter((page) => !titleOf(page)), []);
    assert.equal(new Set(named.map(titleOf)).size, named.length);
    assert.equal(entryOf('drafts'), 'invoices');
    assert.equal(entryOf('invoices'), 'invoices');
  } finally {
    await modules.close();
  }
});

test('what is wrong with a group of boxes is told at the group, and its boxes can be found', async () => {
  const modules = await openModules();
  try {
    const { Field } = await modules.load('parts/field.js');
    const field = { name: 'scopes', label: 'Scopes', kind: 'some', required: true, choices: ['read', 'write'] };
    const shown = (problem) => drawn(Field({ field, value: [], set: () => {}, problem }));
    const wrong = shown('Scopes is needed.');
    const [note] = wrong.filter(({ type }) => type === 'p');
    assert.equal(textOf(note), 'Scopes is needed.');
    assert.equal(wrong[0].props['aria-describedby'], note.props.id);
    const invalid = (of) => of.filter(({ type }) => type === 'input').map((box) => box.props['aria-invalid']);
    assert.deepEqual(invalid(wrong), ['true', 'true']);
    assert.deepEqual(invalid(shown(undefined)), [undefined, undefined]);
  } finally {
    await modules.close();
  }
});

test('a month later is the last day of a month that has not as many', async () => {
  const asked = [];
  const fetch = async (_, { body }) => {
    asked.push(JSON.parse(body).query);
    return new Response('{"errors":[{"message":"to is too far ahead"}]}');
  };
  const modules = await openModules('en-GB', { fetch, addEventListener: () => {} });
  try {
    const { STEPS } = await modules.load('parts/clock.js');
    const steps = new Map(STEPS);
    const stepped = (name, from) => steps.get(name)(new Date(from)).toISOString();
    assert.equal(stepped('+1 month', '2027-01-31T10:00:00.000Z'), '2027-02-28T10:00:00.000Z');
    assert.equal(stepped('+1 month', '2027-08-31T10:00:00.000Z'), '2027-09-30T10:00:00.000Z');
    assert.equal(stepped('+1 month', '2027-12-15T10:00:00.000Z'), '2028-01-15T10:00:00.000Z');
    assert.equal(stepped('+1 year', '2028-02-29T10:00:00.000Z'), '2029-02-28T10:00:00.000Z');
    assert.equal(stepped('+1 week', '2027-02-26T10:00:00.000Z'), '2027-03-05T10:00:00.000Z');
    const { Forecast } = await modules.load('parts/forecast.js');
    const shown = drawn(Forecast({ contract: { id: '7', currency: 'EUR' }, now: '2028-02-29T12:00:00Z' }));
    assert.ok(asked.some((query) => query.includes('to: "2029-02-28"')), asked.join());
    assert.ok(shown.some(({ type }) => type === 'select'), 'the choice is there before, and without, an answer');
  } finally {
    await modules.close();
  }
});

test('a turn of the clock promises one invoice, and says what it left', async () => {
  const modules = await openModules();
  try {
    const { Coming, Made } = await modules.load('parts/clock.js');
    const one = { issueDate: '2027-01-15', grandTotalMinor: 2_900, currency: 'EUR' };
    const coming = (documents) => textOf(Coming({ of: { documents, totals: { billedMinor: 5_800 } }, currency: 'EUR' }));
    assert.match(coming([one, one]), /^Billed day by day, 2 documents over €58\.00 would be issued by then\. One turn of the clock issues one invoice at most/);
    assert.doesNotMatch(coming([one]), /One turn/);
    assert.equal(coming([]), 'By then nothing would be billed.');
    const turned = { invoices: { issued: 0, failed: 1, passDisabled: false }, collection: { charged: 0, failed: 0 }, notAdvanced: ['usage invoicing: by its own pass'], documents: [] };
    const made = textOf(Made({ of: turned }));
    assert.match(made, /^0 invoices were issued, 1 could not be issued\./);
    assert.match(made, /usage invoicing: by its own pass/);
  } finally {
    await modules.close();
  }
});

test('a refusal stands at its field, in the units that are typed there', async () => {
  const modules = await openModules();
  try {
    const { placed } = await modules.load('parts/field.js');
    const fields = [
      { name: 'percentBps', label: 'Percent', kind: 'percent' },
      { name: 'amountMinor', label: 'Amount', kind: 'money', currency: (values) => values.currency },
      { name: 'country', label: 'Country' },
      { name: 'days', label: 'Days to pay', kind: 'whole' },
      { name: 'lines', kind: 'rows', fields: [{ name: 'priceMinor', label: 'Price, EUR', kind: 'money', currency: 'EUR' }] },
    ];
    const told = (message, values = { currency: 'EUR' }) => placed(fields, values, message);
    assert.deepEqual(told('percentBps must be from 1 to 9999'), { percentBps: 'Percent must be from 0.01% to 99.99%.' });
    assert.deepEqual(told('amountMinor must be from 1 to 10^12'), { amountMinor: 'Amount must be from €0.01 to €10,000,000,000.00.' });
    assert.deepEqual(told('amountMinor must not exceed 10^3 minor units', { currency: 'JPY' }), { amountMinor: 'Amount must not exceed JP¥1,000.' });
    assert.deepEqual(told('amountMinor is of 2027-01-15'), { amountMinor: 'Amount is of 2027-01-15.' });
    assert.deepEqual(told('days must be from 0 to 365'), { days: 'Days to pay must be from 0 to 365.' });
    assert.deepEqual(told('invalid request body: country: expected a code'), { country: 'Country: expected a code.' });
    assert.deepEqual(told('lines[1].priceMinor is below 100', { lines: [{}, {}] }), { lines: [{}, { priceMinor: 'Price is below €1.00.' }] });
    assert.equal(told('invalid request body: not JSON'), null);
  } finally {
    await modules.close();
  }
});

test('the overview tells of contracts in force beside subscriptions, which may be on others', async () => {
  const modules = await openModules();
  try {
    const { Figures } = await modules.load('pages/overview.js');
    const outstanding = { notDueMinor: 0, to30Minor: 0, to60Minor: 0, to90Minor: 0, olderMinor: 0 };
    const shown = { currency: 'EUR', recurringMinor: 2_900, outstanding, failedPayments: { count: 0, amountMinor: 0 } };
    const of = { counts: { contracts: 1, activeSubscriptions: 3, customers: 2 }, asOf: '2027-01-15T10:00:00Z' };
    assert.match(textOf(Figures({ of, shown })), /Subscriptions31 contract in force/);
  } finally {
    await modules.close();
  }
});

test('a limit that is off is told as none', async () => {
  const modules = await openModules();
  try {
    const { limitsOf } = await modules.load('pages/settings.js');
    assert.equal(limitsOf([['billing', 0], ['payments', 1_000]]), 'billing: no limit, payments: 1,000');
  } finally {
    await modules.close();
  }
});

test('who has said for whom they sell is led on from where it is asked', async () => {
  const seen = [];
  const browser = { location: { pathname: '/dashboard/welcome' }, history: { replaceState: (state, title, to) => seen.push(to) }, scrollTo: () => {} };
  for (const [account, led, headings] of [[{ status: 'active' }, ['/dashboard'], 0], [{}, [], 1]]) {
    seen.length = 0;
    const modules = await openModules('en-GB', { ...browser, who: { me: {}, account } });
    try {
      const { default: Welcome } = await modules.load('pages/welcome.js');
      assert.equal(drawn(Welcome()).filter(({ type }) => type === 'h1').length, headings);
      assert.deepEqual(seen, led);
    } finally {
      await modules.close();
    }
  }
});

test('an address of nothing says so under a heading, and offers nothing that cannot help', async () => {
  const page = { title: '' };
  const modules = await openModules('en-GB', { document: page });
  try {
    const { Found } = await modules.load('parts/record.js');
    const shown = (data, error) => drawn(Found({ read: { data, error, again: () => {} }, of: 'invoice', list: { page: 'invoices', title: 'Invoices' }, make: () => ({ title: 'A-7' }) }));
    const heading = (all) => all.filter(({ type }) => type === 'h1').map(textOf);
    const buttons = (all) => all.filter(({ type }) => type === 'button').map(textOf);
    for (const code of ['NOT_FOUND', 'BAD_REQUEST']) {
      const none = shown(null, { code, message: 'id must be a positive integer' });
      assert.deepEqual([heading(none), buttons(none), page.title], [['Not found'], [], 'Not found – Accrue']);
    }
    const lost = shown(null, { code: 'OFFLINE', message: 'The server does not answer.' });
    assert.deepEqual([heading(lost), buttons(lost)], [['Invoices'], ['Try again']]);
    assert.deepEqual(heading(shown({ invoice: { id: '7' } }, null)), ['A-7']);
  } finally {
    await modules.close();
  }
});
