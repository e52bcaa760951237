// The hosted page of an invoice in a real browser at the size of a phone: paid by keyboard
// alone, declined and tried again, confirmed at the bank, with and without JavaScript.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { PHONE, barriers, openBrowser, openHouse, openSeller, tabTo, typeCard, writeCard } from './house.mjs';

const GOOD = '4242424242424242';
const DECLINED = '4000000000000002';
const CHALLENGED = '4000000000003220';

let house;
let seller;

before(async () => {
  house = await openHouse();
  seller = await openSeller(house.origin);
});

after(() => house?.close());

/** Runs `story` on the page of a new invoice, and demands a clean end of it. */
async function atThePage(amount, story, options) {
  const invoice = await seller.invoice(amount);
  const browser = await openBrowser(house.origin, options);
  try {
    const answer = await browser.page.goto(invoice.paymentUrl);
    assert.equal(answer.status(), 200);
    await story(browser.page, invoice);
    assert.deepEqual(browser.astray, [], 'no request leaves the origin');
    // A refusal's status is told on the console; anything else is a fault of the page.
    const faults = browser.troubles.filter((text) => !text.startsWith('Failed to load resource'));
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
}

async function fitsThePhone(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
}

test('a card is typed and sent with the keyboard alone', () =>
  atThePage(12_345, async (page, invoice) => {
    await fitsThePhone(page);
    assert.deepEqual(await barriers(page), []);
    const text = await page.textContent('main');
    assert.match(text, /123\.45/);
    assert.match(text, /Piano lessons/);
    await typeCard(page, GOOD);
    assert.equal(page.url().startsWith(house.origin), true);
    await seller.paid(invoice);
    await page.goto(invoice.paymentUrl);
    assert.match(await page.textContent('h1'), /received/i);
    assert.equal(await page.locator('#cardNumber').count(), 0);
    await fitsThePhone(page);
    assert.deepEqual(await barriers(page), []);
  }));

test('a decline is told, and another card succeeds', () =>
  atThePage(2_000, async (page, invoice) => {
    await typeCard(page, DECLINED);
    const alert = page.locator('[role=alert]');
    assert.equal(await alert.count(), 1);
    assert.match(await alert.textContent(), /declined/i);
    assert.deepEqual(await barriers(page), []);
    await fitsThePhone(page);
    assert.equal(await page.inputValue('#cardNumber'), '', 'no card is shown again');
    await typeCard(page, GOOD);
    await seller.paid(invoice);
  }));

test('a wrong digit is named beside its field, and nothing is typed twice', () =>
  atThePage(2_000, async (page, invoice) => {
    await writeCard(page, '4242424242424241');
    await page.keyboard.press('Enter');
    await page.locator('#cardNumber:focus').waitFor();
    assert.equal(await page.inputValue('#cardNumber'), '4242 4242 4242 4241');
    assert.equal(await page.inputValue('#expiry'), '12 / 30');
    assert.equal(await page.getAttribute('#cardNumber', 'aria-invalid'), 'true');
    const said = await page.getAttribute('#cardNumber', 'aria-describedby');
    assert.match(await page.textContent(`#${said.split(' ')[0]}`), /card number/i);
    assert.deepEqual(await barriers(page), []);
    await typeCard(page, GOOD);
    await seller.paid(invoice);
  }));

test('the button is on the first view of a phone, and what is optional behind a fold', () =>
  atThePage(2_000, async (page, invoice) => {
    const button = await page.locator('button[data-busy]').boundingBox();
    assert.ok(button.y + button.height <= PHONE.height, `the button ends at ${button.y + button.height}`);
    assert.equal(await page.isVisible('#country'), false);
    await page.click('.more summary');
    await page.selectOption('#country', { label: 'Germany' });
    await page.fill('#holderName', 'Ada Lovelace');
    await typeCard(page, DECLINED);
    assert.equal(await page.inputValue('#country'), 'DE', 'it is kept after a decline');
    assert.equal(await page.inputValue('#holderName'), 'Ada Lovelace');
    await typeCard(page, GOOD);
    await seller.paid(invoice);
  }));

test('a window with the form notices that another has paid', () =>
  atThePage(2_000, async (page, invoice) => {
    const other = await page.context().newPage();
    await other.goto(invoice.paymentUrl);
    await typeCard(page, GOOD);
    await other.getByText('Payment received').waitFor();
    assert.equal(await other.isVisible('[data-print]'), true);
  }));

test('the bank asks, the buyer approves', () =>
  atThePage(3_000, async (page, invoice) => {
    await typeCard(page, CHALLENGED);
    assert.match(page.url(), /\/scheme\//);
    assert.match(await page.textContent('main'), /30\.00/);
    assert.deepEqual(await barriers(page), []);
    await fitsThePhone(page);
    await tabTo(page, 'button[value=approve]');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    assert.match(page.url(), /\/return\//);
    assert.deepEqual(await barriers(page), []);
    await seller.paid(invoice);
  }));

test('the buyer refuses at the bank and pays with another card', () =>
  atThePage(3_000, async (page, invoice) => {
    await typeCard(page, CHALLENGED);
    await tabTo(page, 'button[value=decline]');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    await page.goto(invoice.paymentUrl);
    await typeCard(page, GOOD);
    await seller.paid(invoice);
  }));

test('what was not agreed to can be read where it is asked for again', async () => {
  const { url } = await seller.subscription({ title: 'Coffee', amountMinor: 1_900, currency: 'EUR', frequency: 'weekly' });
  const browser = await openBrowser(house.origin);
  try {
    const { page } = browser;
    await page.goto(url);
    await typeCard(page, GOOD);
    await page.locator('#saveCard-problem').waitFor();
    for (const size of [PHONE, { width: 1280, height: 800 }]) {
      await page.setViewportSize(size);
      for (const part of ['[for=saveCard]', '#saveCard-note', '#saveCard-problem']) {
        const { width } = await page.locator(part).boundingBox();
        assert.ok(width > 200, `${part} is ${width} wide`);
      }
      const box = await page.locator('#saveCard').boundingBox();
      assert.equal(box.height, box.width);
      await fitsThePhone(page);
    }
    assert.deepEqual(await barriers(page), []);
  } finally {
    await browser.close();
  }
});

test('everything works without JavaScript', () =>
  atThePage(
    4_000,
    async (page, invoice) => {
      await page.fill('#cardNumber', '4242 4242 4242 4242');
      await page.fill('#expiry', '12/2030');
      await page.fill('#cvv', '123');
      await Promise.all([page.waitForNavigation(), page.click('button[type=submit]')]);
      await seller.paid(invoice);
      await page.goto(invoice.paymentUrl);
      assert.equal(await page.locator('#cardNumber').count(), 0);
    },
    { javaScriptEnabled: false },
  ));

test('the page can be read in the dark, enlarged, and on a wide screen', () =>
  atThePage(
    5_000,
    async (page) => {
      assert.deepEqual(await barriers(page), []);
      for (const size of [{ width: 320, height: 568 }, { width: 1280, height: 800 }]) {
        await page.setViewportSize(size);
        await fitsThePhone(page);
      }
      // Fields beside each other stay on one line under labels of any length.
      await page.setViewportSize({ width: 360, height: 640 });
      await page.locator('[for=expiry]').evaluate((label) => (label.textContent = 'The last month in which it is good'));
      const fields = await page.locator('#expiry, #cvv').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
      assert.equal(fields[0], fields[1]);
    },
    { colorScheme: 'dark' },
  ));

test('the API document can be read', async () => {
  const browser = await openBrowser(house.origin, { viewport: { width: 1280, height: 800 } });
  try {
    await browser.page.goto(`${house.origin}/docs`);
    await browser.page.getByRole('heading', { name: 'The first five minutes' }).waitFor();
    await browser.page.getByText('/billing-api/v1/contracts').first().waitFor({ state: 'attached' });
    assert.deepEqual(browser.astray, []);
  } finally {
    await browser.close();
  }
});
