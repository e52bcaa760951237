// The dashboard in a real browser: every page, on a screen and a phone, light and dark; what a
// seller does there by hand; what it weighs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { SCREEN, openDashboard } from './dashboard.mjs';
import { PHONE, barriers, openBrowser, openHouse, tabTo } from './house.mjs';

/** The most that the first view may bring over the wire, data and all. */
const FIRST_VIEW = 100_000;

let house;
let shop;
let dashboard;
let at;
let open;

before(async () => {
  house = await openHouse();
  ({ shop, dashboard, at, open } = await openDashboard(house));
});

after(() => house?.close());

/** How each page is looked at, and the rules that may come out differently that way. */
const LOOKS = [
  ['on a screen in the light', SCREEN, 'light', undefined],
  ['on a screen in the dark', SCREEN, 'dark', ['color-contrast']],
  ['on a phone', PHONE, 'light', ['color-contrast', 'label', 'button-name', 'scrollable-region-focusable']],
];

/** What can be pressed in the middle of the page but lies under something else. */
const covered = (page) => page.evaluate(() => {
  const isCovered = (control) => {
    const { left, top, width, height } = control.getBoundingClientRect();
    const over = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!width || !over || !over.closest('main')) return false;
    return !over.contains(control) && !control.contains(over) && over.closest('label')?.control !== control;
  };
  return [...document.querySelectorAll('main :is(a, button, select, input)')].filter(isCovered).map((control) => control.outerHTML);
});

test('every page opens on a screen, in the dark and on a phone, and keeps nobody out', async () => {
  await dashboard({}, async (page) => {
    for (const address of shop.addresses) {
      await open(page, address);
      for (const [look, size, colorScheme, rules] of LOOKS) {
        await page.setViewportSize(size);
        await page.emulateMedia({ colorScheme });
        assert.deepEqual(await page.locator('.problem-box').allTextContents(), [], `${address} ${look}`);
        assert.equal(await page.getByText('Not on this server').count(), 0, `${address} ${look}`);
        assert.deepEqual(await barriers(page, { all: true, rules }), [], `${address} ${look}`);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(wide <= 0, `${address} ${look} is ${wide} pixels too wide`);
        assert.deepEqual(await covered(page), [], `${address} ${look}`);
      }
    }
  });
});

test('the first view weighs less than 100 kB, all of it', async () => {
  await dashboard({}, async (page) => {
    const client = await page.context().newCDPSession(page);
    await client.send('Network.enable');
    await client.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    client.on('Network.dataReceived', (event) => (bytes += event.encodedDataLength));
    client.on('Network.responseReceived', (event) => (bytes += event.response.encodedDataLength));
    await open(page, '');
    assert.ok(bytes > 10_000, `${bytes} bytes cannot be all`);
    assert.ok(bytes < FIRST_VIEW, `${bytes} bytes`);
  });
});

test('the test clock is turned forward, an invoice appears and is voided', async () => {
  await dashboard({}, async (page) => {
    await open(page, `/contracts/${shop.contract.id}`);
    await page.getByRole('button', { name: '+1 month' }).click();
    await page.getByText(/would be issued/).waitFor();
    await page.getByRole('button', { name: /^Advance to/ }).click();
    await page.getByText('invoice was issued').waitFor();
    await page.getByRole('table', { name: 'What is billed' }).getByRole('link').first().click();
    await page.getByRole('button', { name: 'Void', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Void', exact: true }).click();
    await dialog.getByText('Reason is needed.').waitFor();
    await dialog.getByLabel('Reason').fill('made by mistake');
    await page.keyboard.press('Enter');
    await page.locator('h1 .status', { hasText: 'Voided' }).waitFor();
    const id = new URL(page.url()).pathname.split('/').at(-1);
    assert.equal((await shop.billing('GET', `/invoices/${id}`)).status, 'voided');
  });
});

test('what happens is shown while it does', async () => {
  await dashboard({}, async (page) => {
    await open(page, '/invoices');
    await page.locator('.live.on').waitFor({ state: 'attached' });
    const { invoiceNumber } = await shop.billing('POST', '/invoices', {
      contractId: shop.contract.id, origin: 'one_time', lines: [{ description: 'Set-up', quantity: '1', unitPriceMinor: 4200 }],
    });
    await page.getByText(invoiceNumber).first().waitFor();
  });
});

test('a payment link is made, and a code that takes a part off', async () => {
  await dashboard({}, async (page) => {
    await open(page, '/links');
    await page.getByRole('button', { name: 'New link' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What is sold').fill('Workshop');
    await dialog.getByLabel('Amount').fill('120.50');
    await page.keyboard.press('Enter');
    await page.getByText('Workshop').first().waitFor();
    await open(page, '/promo-codes');
    assert.deepEqual(await page.locator('.problem-box').allTextContents(), []);
  });
});

test('an event leads to what it tells of', async () => {
  await dashboard({}, async (page) => {
    await open(page, '/event-log');
    await page.getByRole('link', { name: 'Payment order/1' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'order/1' }).waitFor();
    await open(page, '/event-log');
    await page.getByRole('link', { name: `Invoice ${shop.billed.id}`, exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name: shop.billed.number }).waitFor();
  });
});

test('a subscription by payment link is made, looked at and cancelled', async () => {
  await dashboard({}, async (page) => {
    await open(page, '/link-subscriptions');
    await page.getByRole('button', { name: 'New subscription' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What is sold').fill('Coffee');
    await dialog.getByLabel('Amount of a term').fill('19');
    await dialog.getByLabel('Free days at the beginning').fill('14');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Coffee' }).waitFor();
    await page.getByText('Nothing was charged yet.').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('by the seller').waitFor();
    assert.deepEqual(await page.locator('.problem-box').allTextContents(), []);
  });
});

test('a draft is written and issued', async () => {
  await dashboard({}, async (page) => {
    await open(page, `/contracts/${shop.contract.id}`);
    await page.getByRole('button', { name: 'Draft an invoice' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Description').fill('Workshop');
    await dialog.getByLabel('Unit price, EUR').fill('1250.50');
    await dialog.getByRole('button', { name: 'Save the draft' }).click();
    await page.getByRole('heading', { level: 1, name: /^Draft / }).waitFor();
    await page.getByRole('button', { name: 'Issue' }).click();
    await dialog.getByRole('button', { name: 'Issue' }).click();
    await page.locator('h1 .status', { hasText: 'Sent' }).waitFor();
    assert.equal(await page.locator('.amount .money').first().getAttribute('value'), '125050');
  });
});

test('items are put on a contract, changed and taken off, and what is wrong stands at its field', async () => {
  const items = async () => (await shop.billing('GET', `/contracts/${shop.contract.id}`)).lineItems;
  await dashboard({}, async (page) => {
    await open(page, `/contracts/${shop.contract.id}?tab=items`);
    const dialog = page.getByRole('dialog');
    const amend = async () => {
      await page.locator('main').getByRole('button', { name: 'Amend' }).click();
      await dialog.getByRole('button', { name: 'Add an item' }).waitFor();
    };
    const send = () => dialog.getByRole('button', { name: 'Amend' }).click();
    await amend();
    await dialog.getByRole('button', { name: 'Add an item' }).click();
    await dialog.getByLabel('Sort').selectOption('project');
    await dialog.getByLabel('Description').fill('A new roof');
    await dialog.getByLabel('Price of one, EUR').fill('much');
    await send();
    await dialog.getByText('must be an amount in EUR').waitFor();
    assert.equal(await dialog.getByLabel('Price of one, EUR').getAttribute('aria-invalid'), 'true');
    await dialog.getByLabel('Price of one, EUR').fill('1250.50');
    await dialog.getByLabel('Tax, %').fill('900');
    await send();
    await dialog.getByText(/Tax must be a percent/).waitFor();
    await dialog.getByLabel('Tax, %').fill('19');
    assert.deepEqual(await barriers(page, { all: true }), []);
    await send();
    await page.getByRole('table', { name: 'Items' }).getByText('A new roof').waitFor();
    assert.deepEqual((await items()).map((one) => [one.componentType, one.quantity, one.componentConfig]), [
      ['project', '1', { description: 'A new roof', amountMinor: 125050, taxRate: '19', status: 'pending' }],
    ]);
    const [{ lineItemId }] = await items();
    await amend();
    await dialog.getByLabel('Quantity').fill('2');
    await send();
    await dialog.waitFor({ state: 'hidden' });
    assert.deepEqual((await items()).map((one) => [one.lineItemId, one.quantity]), [[lineItemId, '2']]);
    await amend();
    await dialog.getByRole('button', { name: 'Remove item 1' }).click();
    await send();
    await page.getByText('No items.').waitFor();
    assert.deepEqual(await items(), []);
  });
});

test('a split rule is written line by line', async () => {
  const [first, second] = shop.minted.payees;
  await dashboard({}, async (page) => {
    await open(page, '/splits');
    await page.getByRole('button', { name: 'New rule' }).click();
    const dialog = page.getByRole('dialog');
    const save = () => dialog.getByRole('button', { name: 'New rule' }).click();
    await dialog.getByLabel('Name').fill('Shares');
    await dialog.getByLabel('Payee').selectOption(String(first.id));
    await dialog.getByLabel('Part, %').fill('33.5');
    await dialog.getByRole('button', { name: 'Add a line' }).click();
    await dialog.getByLabel('Payee').nth(1).selectOption(String(first.id));
    await dialog.getByLabel('Gets').nth(1).selectOption('fixed_minor');
    await dialog.getByLabel('Amount', { exact: true }).fill('12.50');
    await save();
    await dialog.getByText(/is named twice/).waitFor();
    assert.equal(await dialog.getByLabel('Payee').nth(1).getAttribute('aria-invalid'), 'true');
    assert.deepEqual(await barriers(page, { all: true }), []);
    await dialog.getByLabel('Payee').nth(1).selectOption(String(second.id));
    await dialog.getByText('Fee, bounds and order').nth(1).click();
    await dialog.getByLabel('At most').nth(1).fill('10');
    await save();
    await page.getByRole('heading', { level: 1, name: 'Shares' }).waitFor();
    const shares = await page.getByRole('table', { name: 'Lines' }).locator('tbody tr').allInnerTexts();
    assert.match(shares[0], /33\.5\s?%/);
    assert.match(shares[1], /12\.50/);
    await page.getByRole('button', { name: 'Edit' }).click();
    assert.equal(await dialog.getByLabel('Part, %').inputValue(), '33.50');
    assert.equal(await dialog.getByLabel('At most').nth(1).inputValue(), '10.00');
  });
});

test('a payee gets a bank account', async () => {
  await dashboard({}, async (page) => {
    await open(page, `/payees/${shop.minted.payees[1].id}?tab=methods`);
    await page.getByRole('button', { name: 'Add a bank account' }).click();
    const dialog = page.getByRole('dialog');
    const save = () => dialog.getByRole('button', { name: 'Add a bank account' }).click();
    await dialog.getByLabel('In the name of').fill('Ada Lovelace');
    await dialog.getByLabel('IBAN', { exact: true }).fill('NO93 8601 1117 948');
    await save();
    await dialog.getByText('IBAN must be a valid IBAN.').waitFor();
    await dialog.getByLabel('IBAN', { exact: true }).fill('NO93 8601 1117 947');
    await save();
    const account = page.getByRole('row', { name: /7947/ });
    await account.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await account.waitFor({ state: 'detached' });
  });
});

test('a network is allowed, and an endpoint for usage is made and revoked', async () => {
  await dashboard({}, async (page) => {
    const dialog = page.getByRole('dialog');
    await open(page, '/allowlist');
    await page.getByRole('button', { name: 'Allow a network' }).click();
    await dialog.getByLabel('Network').fill('everywhere');
    await dialog.getByRole('button', { name: 'Allow a network' }).click();
    await dialog.getByText(/Network must be an IPv4/).waitFor();
    await dialog.getByLabel('Network').fill('127.0.0.0/8');
    await dialog.getByRole('button', { name: 'Allow a network' }).click();
    await page.getByText('127.0.0.0/8').waitFor();
    await open(page, '/endpoints');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await dialog.getByLabel('Who sends').fill('The data centre');
    await dialog.getByRole('button', { name: 'New endpoint' }).click();
    await dialog.getByText(/It is shown once/).waitFor();
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    const endpoint = page.getByRole('row', { name: /The data centre/ });
    await endpoint.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await endpoint.getByText('Revoked').waitFor();
    assert.equal(await endpoint.getByRole('button').count(), 0);
  });
});

test('seats are set where there are none yet, and are told by the day', async () => {
  const price = { scheme: 'per_seat', currency: 'EUR', rounding: 'half_up', unitPrice: '10' };
  await shop.billing('PUT', `/usage/contracts/${shop.contract.id}/metrics/platform.seat.active/price`, {
    effectiveFrom: new Date().toISOString().slice(0, 10), config: price,
  });
  await dashboard({}, async (page) => {
    await open(page, `/contracts/${shop.contract.id}?tab=usage`);
    await page.getByRole('button', { name: 'Seats', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('How many there are').fill('3');
    await dialog.getByRole('button', { name: 'Seats', exact: true }).click();
    const seats = page.locator('section.stack').filter({ hasText: 'platform.seat.active' });
    await seats.getByText('days of seats').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Seats', exact: true }).count(), 1);
    assert.equal(await seats.getByRole('button', { name: 'Limit' }).count(), 0);
    await seats.getByRole('button', { name: 'Chart and price' }).click();
    await seats.getByRole('button', { name: '7 days' }).click();
    assert.equal(await seats.getByRole('button', { name: '2 days' }).count(), 0);
    await seats.getByText('platform.seat.active a day').waitFor();
  });
});

test('a payment is refunded in part', async () => {
  await dashboard({}, async (page) => {
    await open(page, `/payments/${encodeURIComponent('order/1')}`);
    await page.getByRole('button', { name: 'Refund' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Amount, EUR/).fill('33.333');
    await dialog.getByRole('button', { name: 'Refund' }).click();
    await dialog.getByText('must be an amount in EUR').waitFor();
    await dialog.getByLabel(/^Amount, EUR/).fill('33.33');
    await dialog.getByLabel(/^Reason/).fill('damaged');
    await dialog.getByRole('button', { name: 'Refund' }).click();
    await page.locator('.trail').getByText('damaged').waitFor();
    const { refunds } = await shop.payment('order/1');
    assert.deepEqual(refunds.map((one) => one.amount), [33.33]);
  });
});

test('a webhook is made, and its secret is shown once', async () => {
  await dashboard({}, async (page) => {
    await open(page, '/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('http://127.0.0.1:9/more');
    await dialog.getByRole('button', { name: 'New webhook' }).click();
    await dialog.locator('.secret code').waitFor();
    assert.match(await dialog.locator('.secret code').textContent(), /\S{16}/);
    await dialog.getByRole('button', { name: 'I have kept it' }).click();
    await page.getByRole('heading', { level: 1, name: /more/ }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: /more/ }).waitFor();
    assert.equal(await page.locator('.secret').count(), 0);
  });
});

test('a list is filtered, walked and turned over by the keyboard alone', async () => {
  for (let made = 0; made < 30; made += 1) await shop.invoice(1_000 + made);
  await dashboard({}, async (page) => {
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.getByRole('heading', { level: 1, name: 'Invoices' }).waitFor();
    await page.locator('a.row').first().waitFor();
    await tabTo(page, 'select[name="origin"]');
    await page.keyboard.type('One');
    await page.waitForURL(/origin=one_time/);
    const amounts = () => page.locator('tbody tr td:last-child data').evaluateAll((all) => all.map((one) => Number(one.value)));
    await page.waitForFunction(() => document.querySelectorAll('a.row').length === 25 && !document.querySelector('[aria-busy="true"]'));
    assert.equal((await amounts())[0], 1_029);
    await page.locator('select[name="origin"]').evaluate((one) => one.blur());
    await page.keyboard.press('n');
    await page.waitForURL(/after=/);
    await page.waitForFunction(() => document.querySelectorAll('a.row').length < 25 && !document.querySelector('[aria-busy="true"]'));
    assert.deepEqual((await amounts()).slice(0, 5), [1_004, 1_003, 1_002, 1_001, 1_000]);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.locator('.amount .money').first().waitFor();
    assert.equal(await page.locator('.amount .money').first().getAttribute('value'), '1003');
    // As fast as a keyboard can be: the keys of a row are there with the row.
    await page.evaluate(() => {
      const press = () => document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }));
      const rows = new MutationObserver(() => document.querySelector('a.row') && (rows.disconnect(), press()));
      rows.observe(document.body, { childList: true, subtree: true });
    });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').getByText('Next row').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Invoices', includeHidden: true }).waitFor();
    assert.match(page.url(), /origin=one_time/, 'the filter is kept');
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    await page.locator('[role=combobox]:focus').waitFor();
    await page.keyboard.type('wallets');
    await page.getByRole('option', { name: /Wallets/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Wallets' }).waitFor();
  });
});

test('a price is worked out while it is typed', async () => {
  await dashboard({}, async (page) => {
    await open(page, '/prices');
    await page.getByLabel('Quantities').fill('2500');
    const amounts = page.getByRole('table', { name: 'Amounts' });
    await amounts.locator('data[value="3875"]').waitFor();
    await page.getByLabel('Scheme').selectOption('per_unit');
    await amounts.locator('data[value="5000"]').waitFor();
    await page.getByLabel('Price of a unit').fill('nothing');
    await page.getByText(/unitPrice/).waitFor();
  });
});

test('what a contract billed is drawn in whole, however much has happened on it', async () => {
  const { billing, minted } = shop;
  const today = new Date().toISOString().slice(0, 10);
  const contract = await billing('POST', '/contracts', { sellerCustomerId: minted.customers[1].id, currency: 'EUR', startDate: today });
  await billing('POST', `/contracts/${contract.id}/amendments`, { expectedBaseVersion: 1, status: 'active' });
  await billing('POST', `/contracts/${contract.id}/subscriptions`, { frequency: 'weekly', priceMinor: 1_000, currency: 'EUR', startDate: today });
  await billing('POST', '/invoices', { contractId: contract.id, origin: 'recurring' });
  for (let week = 1; week <= 30; week += 1) {
    const to = new Date(Date.now() + week * 7 * 86_400_000).toISOString();
    await billing('POST', `/contracts/${contract.id}/test-clock/advance`, { to });
  }
  await dashboard({}, async (page) => {
    await open(page, `/contracts/${contract.id}`);
    await page.locator('.numbers summary', { hasText: 'Numbers' }).click();
    const billed = await page.locator('.numbers').first().locator('tbody td:nth-child(2)').allTextContents();
    const sum = billed.reduce((all, text) => all + Number(text.replace(/[^\d.]/g, '')), 0);
    assert.equal(sum, 310);
  });
});

test('a subscription has a day on which it renews only where another term follows', async () => {
  const { billing, minted } = shop;
  const today = new Date().toISOString().slice(0, 10);
  const contract = await billing('POST', '/contracts', { sellerCustomerId: minted.customers[1].id, currency: 'EUR', startDate: today });
  await billing('POST', `/contracts/${contract.id}/amendments`, { expectedBaseVersion: 1, status: 'active' });
  const subscribe = (description, more) => billing('POST', `/contracts/${contract.id}/subscriptions`, { description, frequency: 'weekly', priceMinor: 1_000, currency: 'EUR', startDate: today, ...more });
  const running = await subscribe('Running');
  await subscribe('Trial that ends', { trialDays: 14, trialEndBehavior: 'cancel' });
  const paused = await subscribe('Paused');
  await billing('POST', `/subscriptions/${paused.id}/pause`, {});
  const cancelled = await subscribe('Cancelled');
  await billing('POST', `/subscriptions/${cancelled.id}/cancel`, { mode: 'period_end' });
  await dashboard({}, async (page) => {
    await open(page, `/subscriptions?contractId=${contract.id}`);
    const renews = (plan) => page.locator('tr', { has: page.getByRole('link', { name: plan, exact: true }) }).locator('td:nth-child(5)');
    assert.equal(await renews('Running').locator('time').getAttribute('datetime'), running.currentPeriodEnd);
    for (const plan of ['Trial that ends', 'Paused', 'Cancelled']) assert.equal(await renews(plan).textContent(), '–', plan);
  });
});

test('Escape closes what is open and leads nowhere', async () => {
  await dashboard({ viewport: PHONE }, async (page) => {
    await open(page, `/invoices/${shop.billed.id}`);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.locator('.frame.open').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.frame:not(.open)').waitFor();
    const account = page.locator('.account-menu');
    await page.locator('.account summary').click();
    await account.waitFor();
    await page.keyboard.press('Escape');
    await account.waitFor({ state: 'hidden' });
    await page.locator('.account summary').click();
    await account.waitFor();
    await page.locator('main').click({ position: { x: 4, y: 4 } });
    await account.waitFor({ state: 'hidden' });
    assert.match(page.url(), /\/invoices\/\d+$/);
  });
});

test('who may only look is offered nothing to do', async () => {
  let invited;
  await dashboard({}, async (page) => {
    await open(page, '/people');
    await page.getByRole('button', { name: 'Invite somebody' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('E-mail').fill('viewer@example.com');
    await dialog.getByRole('button', { name: 'Invite somebody' }).click();
    await dialog.getByText(/no mail server is set/).waitFor();
    invited = await dialog.locator('.secret code').textContent();
  });
  const joining = await openBrowser(house.origin);
  try {
    await joining.page.goto(invited);
    await joining.page.getByLabel('Your name').fill('Vera');
    await joining.page.getByLabel(/Choose a password/).fill('long enough');
    await joining.page.keyboard.press('Enter');
    await joining.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  } finally {
    await joining.close();
  }
  await dashboard({ as: { email: 'viewer@example.com', password: 'long enough' } }, async (page) => {
    for (const address of [`/invoices/${shop.billed.id}`, '/people', '/webhooks', '/keys', '/settings', `/splits/${shop.minted.splitRuleId}`]) {
      await open(page, address);
      const offered = await page.locator('main .actions .button:not(a)').allTextContents();
      assert.deepEqual(offered, [], address);
    }
  });
});

test('an address that no browser can read is of nothing', async () => {
  await dashboard({}, async (page) => {
    await page.goto(at('/payments/%zz'));
    await page.locator('.problem-box').waitFor();
  });
});

test('an address that is kept leads through the login, and no page is no page', async () => {
  const browser = await openBrowser(house.origin, { viewport: SCREEN });
  try {
    await browser.page.goto(at('/invoices'));
    await browser.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const answer = await browser.page.goto(at('/nothing'));
    assert.equal(answer.status(), 404);
  } finally {
    await browser.close();
  }
});
