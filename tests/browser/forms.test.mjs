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
