// The dashboard's forms in a real browser: what is typed is what comes about, or is refused in words.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { openDashboard } from './dashboard.mjs';
import { openHouse } from './house.mjs';

let house;
let shop;
let dashboard;
let open;

before(async () => {
  house = await openHouse();
  ({ shop, dashboard, open } = await openDashboard(house));
});

after(() => house?.close());

/** A contract in force of the shop's customer. */
async function newContract(lineItems = []) {
  const startDate = new Date().toISOString().slice(0, 10);
  const contract = await shop.billing('POST', '/contracts', { sellerCustomerId: shop.customer.id, currency: 'EUR', startDate, lineItems });
  await shop.billing('POST', `/contracts/${contract.id}/amendments`, { expectedBaseVersion: 1, status: 'active' });
  return contract;
}

test('what is emptied in a form is taken away, or refused in words', async () => {
  await dashboard({}, async (page) => {
    const dialog = page.getByRole('dialog');
    const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Documents', exact: true }) });
    await open(page, '/settings');
    await panel.getByText('3 days before').waitFor();
    await panel.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Reminders').fill('');
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await panel.getByText('3 days before').waitFor({ state: 'detached' });
    const hosts = page.locator('section', { has: page.getByRole('heading', { name: 'Return hosts' }) });
    for (const [typed, told] of [['shop.example.com', 'shop.example.com'], ['', 'nowhere yet']]) {
      await hosts.getByRole('button', { name: 'Change' }).click();
      await dialog.getByLabel('Hosts').fill(typed);
      await dialog.getByRole('button', { name: 'Change' }).click();
      await hosts.getByText(told).waitFor();
    }
    await open(page, '/links');
    await page.getByRole('button', { name: 'New link' }).first().click();
    await dialog.getByLabel('What is sold').fill('A lamp');
    await dialog.getByLabel('Amount').fill('10');
    await dialog.getByLabel('Ends on').fill('2099-01-31');
    await dialog.getByRole('button', { name: 'New link' }).click();
    await page.getByText('31 Jan 2099').or(page.getByText('Jan 31, 2099')).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Ends on').fill('');
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.facts').getByText('Ends').waitFor({ state: 'detached' });
  });
});

test('a terminal is made', async () => {
  await dashboard({}, async (page) => {
    await open(page, '/settings');
    await page.getByRole('button', { name: 'New terminal' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('At the counter');
    await dialog.getByRole('button', { name: 'New terminal' }).click();
    await page.getByRole('table', { name: 'Terminals' }).getByText('At the counter').waitFor();
  });
});

test('the credit note that is proposed is of the whole of an invoice with a discount', async () => {
  const lines = [{ description: 'Chairs', quantity: '2', unitPriceMinor: 5_000, discountMinor: 1_000 }];
  const invoice = await shop.billing('POST', '/invoices', { contractId: shop.contract.id, origin: 'one_time', lines });
  await dashboard({}, async (page) => {
    await open(page, `/invoices/${invoice.id}`);
    await page.getByRole('button', { name: 'Credit note' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Issue the credit note' }).click();
    await page.locator(`.amount .money[value="${-invoice.grandTotalMinor}"]`).waitFor();
  });
});

test('a price with a bound that is none is neither worked out nor put on a contract', async () => {
  await dashboard({}, async (page) => {
    await open(page, `/prices?contract=${shop.contract.id}&metric=calls`);
    await page.getByLabel('The least of a period').fill('12.345');
    await page.getByText('It must be an amount in EUR').waitFor();
    assert.equal(await page.getByRole('button', { name: /Put it on/ }).isDisabled(), true);
    await page.getByLabel('The least of a period').fill('12.34');
    await page.getByRole('table', { name: 'Amounts' }).locator('data[value="1234"]').first().waitFor();
  });
});

test('a form stays when text is marked beyond its edge, and goes with the page behind it', async () => {
  await dashboard({}, async (page) => {
    const dialog = page.getByRole('dialog');
    await open(page, '/customers');
    await page.getByRole('link', { name: 'Payment links' }).click();
    await page.getByRole('button', { name: 'New link' }).first().click();
    await dialog.getByLabel('What is sold').fill('Two tickets');
    const { x, y } = await dialog.getByLabel('What is sold').boundingBox();
    await page.mouse.move(x + 120, y + 10);
    await page.mouse.down();
    await page.mouse.move(x - 120, y + 10, { steps: 4 });
    await page.mouse.up();
    assert.equal(await dialog.getByLabel('What is sold').inputValue(), 'Two tickets');
    await page.goBack();
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
  });
});

test('an action whose answer is lost is not done again by pressing again', async () => {
  const contract = await newContract();
  for (let number = 0; number < 25; number += 1) {
    const credit = { creditType: 'manual', amountMinor: 100, currency: 'EUR', reason: `Number ${number}` };
    await shop.billing('POST', `/contracts/${contract.id}/credits/top-up`, credit);
  }
  await dashboard({}, async (page) => {
    const dialog = page.getByRole('dialog');
    await open(page, `/contracts/${contract.id}?tab=credits`);
    await page.getByRole('button', { name: 'Grant credit' }).click();
    await dialog.getByLabel('Amount').fill('12.34');
    await dialog.getByLabel('Reason').fill('A goodwill');
    let lost = false;
    await page.route('**/dashboard/graphql', async (route) => {
      if (lost || !route.request().postData().includes('topUpCredits')) return route.fallback();
      lost = true;
      await route.fetch();
      return route.fulfill({ body: '' });
    });
    await dialog.getByRole('button', { name: 'Grant credit' }).click();
    await dialog.getByText('Pressing again is safe').waitFor();
    await dialog.getByRole('button', { name: 'Grant credit' }).click();
    await dialog.waitFor({ state: 'hidden' });
    const { balances } = await shop.billing('GET', `/contracts/${contract.id}/credits`);
    assert.equal(balances.find(({ creditType }) => creditType === 'promotional').balanceMinor, 1_234);
    // The movements go on behind the first page.
    await page.getByText('A goodwill').waitFor();
    assert.equal(await page.getByText('Number 0', { exact: true }).count(), 0);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByText('Number 0', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('A goodwill').waitFor();
  });
});

test('a billing run says what it could not bill until somebody has read it', async () => {
  const item = (componentType, amountMinor, more) => ({ componentType, quantity: '1', componentConfig: { description: componentType, amountMinor, ...more } });
  const contract = await newContract([item('milestone', 700, { status: 'completed' }), item('one_time', 1_000), item('adjustment', -5_000)]);
  await dashboard({}, async (page) => {
    const dialog = page.getByRole('dialog');
    await open(page, `/contracts/${contract.id}`);
    for (const issued of ['1 document is issued.', 'No document is issued.']) {
      await page.getByRole('button', { name: 'Bill what is due' }).click();
      await dialog.getByRole('button', { name: 'Bill what is due' }).click();
      await dialog.getByText('One time: ').waitFor();
      await dialog.getByText(issued).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
    }
  });
});

test('an item is shown, and kept in what was not touched, whatever way its numbers are written', async () => {
  const contract = await newContract();
  const address = `${house.origin}/billing-api/v1/contracts/${contract.id}`;
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${shop.minted.apiKey}` };
  const config = '{"name":1.50,"amountMinor":2900.0,"status":7.0,"rate":0.10}';
  const body = `{"expectedBaseVersion":2,"lineItems":[{"componentType":"recurring","quantity":"1","componentConfig":${config}}]}`;
  const amended = await fetch(`${address}/amendments`, { method: 'POST', headers, body });
  assert.equal(amended.status, 200, await amended.text());
  await dashboard({}, async (page) => {
    const dialog = page.getByRole('dialog');
    await open(page, `/contracts/${contract.id}?tab=versions`);
    await page.getByText('1 × Recurring').waitFor();
    await open(page, `/contracts/${contract.id}?tab=items`);
    await page.getByRole('table', { name: 'Items' }).locator('data[value="2900"]').waitFor();
    await page.locator('main').getByRole('button', { name: 'Amend' }).click();
    await dialog.getByLabel('Quantity').fill('2');
    assert.equal(await dialog.getByLabel('Price of one, EUR').inputValue(), '29.00');
    await dialog.getByRole('button', { name: 'Amend' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });
  const kept = await (await fetch(address, { headers })).text();
  for (const part of [/"name":1\.50[,}]/, /"amountMinor":2900[,}]/, /"status":7\.0[,}]/, /"rate":0\.10[,}]/]) assert.match(kept, part);
});
