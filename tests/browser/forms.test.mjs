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
