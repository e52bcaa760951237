// The hosted checkout in a real browser at the size of a phone: every way to pay, declined and
// tried again, given up, watched in two windows, by keyboard alone, without JavaScript.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { PHONE, barriers, openBrowser, openHouse, openSeller, openShop, tabTo, typeCard } from './house.mjs';

const GOOD = '4242424242424242';
const DECLINED = '4000000000000002';
const CHALLENGED = '4000000000003220';

let house;
let shop;
let seller;

before(async () => {
  shop = await openShop();
  house = await openHouse({ ACCRUE_PAYMENTS__MBWAY_SECONDS: '2' });
  seller = await openSeller(house.origin, shop.origin);
});

after(async () => {
  await house?.close();
  await shop?.close();
});

/** Runs `story` on the page of a new session, and demands a clean end of it. */
async function atTheCheckout(more, story, options = {}) {
  const session = await seller.checkout(more);
  const browser = await openBrowser(house.origin, { shop: shop.origin, ...options });
  try {
    const answer = await browser.page.goto(session.checkoutUrl);
    assert.equal(answer.status(), 200);
    await story(browser.page, session);
    assert.deepEqual(browser.astray, [], 'no request goes astray');
    // A refusal's status is told on the console; anything else is a fault of the page.
    const faults = browser.troubles.filter((text) => !text.startsWith('Failed to load resource'));
    assert.deepEqual(faults, []);
  } finally {
    await browser.close();
  }
}

/** The page can be used by everybody on a phone. */
async function isFit(page) {
  assert.deepEqual(await barriers(page), []);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `the page is ${wide} pixels too wide`);
}

async function choose(page, method) {
  await page.click(`label[for=${method}]`);
}

async function press(page, selector) {
  await Promise.all([page.waitForNavigation(), page.click(selector)]);
}

const pay = (page) => press(page, 'button[data-busy]');

async function atTheShop(page, path, status) {
  await page.waitForURL(`${shop.origin}/**`);
  const url = new URL(page.url());
  assert.equal(url.pathname, path);
  assert.equal(url.searchParams.get('status'), status);
  return url.searchParams;
}

test('a card is paid with the keyboard alone, and the shop takes over', () =>
  atTheCheckout({}, async (page) => {
    await isFit(page);
    const text = await page.textContent('main');
    assert.match(text, /€49\.90/);
    assert.match(text, /harvest concert/);
    assert.match(await page.textContent('header'), /Nordlicht Concerts/);
    await typeCard(page, GOOD);
    const query = await atTheShop(page, '/thanks', 'succeeded');
    assert.equal(query.get('basket'), '7');
    const payment = await seller.payment(query.get('paymentId'));
    assert.equal(payment.status, 'provider_completed');
  }));

test('the button is on the first view of a phone, however many ways to pay there are', () =>
  atTheCheckout({}, async (page) => {
    assert.ok(await page.locator('.method').count() > 3);
    const button = await page.locator('button[data-busy]').boundingBox();
    assert.ok(button.y + button.height <= PHONE.height, `the button ends at ${button.y + button.height}`);
  }));

test('a decline comes back to the page, and another card succeeds', () =>
  atTheCheckout({}, async (page) => {
    await typeCard(page, DECLINED);
    assert.match(await page.textContent('[role=alert]'), /declined/i);
    assert.equal(await page.inputValue('#cardNumber'), '', 'no card is shown again');
    await isFit(page);
    await typeCard(page, GOOD);
    await atTheShop(page, '/thanks', 'succeeded');
  }));

test('the bank asks, and the buyer approves with the keyboard', () =>
  atTheCheckout({}, async (page) => {
    await typeCard(page, CHALLENGED);
    assert.match(page.url(), /\/scheme\//);
    assert.match(await page.innerText('main'), /To\s+Nordlicht Concerts/);
    await isFit(page);
    await tabTo(page, 'button[value=approve]');
    await page.keyboard.press('Enter');
    await atTheShop(page, '/thanks', 'succeeded');
  }));

test('what is cancelled at the bank can be paid in another way', () =>
  atTheCheckout({}, async (page, session) => {
    await typeCard(page, CHALLENGED);
    await press(page, 'button[value=cancel]');
    assert.equal(page.url(), session.checkoutUrl);
    assert.match(await page.textContent('[role=alert]'), /not finished/);
    await choose(page, 'bancontact');
    await pay(page);
    assert.match(page.url(), /\/scheme\//);
    assert.match(await page.textContent('body'), /Bancontact/);
    await isFit(page);
    await page.click('button[value=approve]');
    await atTheShop(page, '/thanks', 'succeeded');
  }));

test('a reference is shown in plain digits, outlives the page, and is paid elsewhere', () =>
  atTheCheckout({ countryCode: 'PT' }, async (page, session) => {
    assert.equal(await page.locator('#bancontact').count(), 0, 'only what fits the country');
    await choose(page, 'multibanco');
    await pay(page);
    const text = await page.innerText('main');
    assert.match(text, /Entity\s+\d{5}\s/);
    assert.match(text, /Reference\s+\d{9}\s/);
    assert.match(text, /€49\.90/);
    assert.match(text, /EUR/);
    await isFit(page);
    const reference = text.match(/\d{9}/)[0];
    await page.goto('about:blank');
    await page.goto(session.checkoutUrl);
    assert.match(await page.innerText('main'), new RegExp(reference));
    // The machine is another window; the page takes notice by itself.
    const machine = await page.context().newPage();
    await machine.goto(await page.getAttribute('a.button', 'href').then((path) => house.origin + path));
    assert.match(await machine.innerText('main'), new RegExp(reference));
    await machine.click('button[value=approve]');
    await atTheShop(page, '/thanks', 'succeeded');
    await page.goto(session.checkoutUrl);
    await page.getByText('Payment received').waitFor();
    await isFit(page);
    await page.getByRole('link', { name: 'Back to Nordlicht Concerts' }).click();
    await atTheShop(page, '/thanks', 'succeeded');
  }));

test('a number that cannot be called is named beside its field', () =>
  atTheCheckout({ countryCode: 'PT' }, async (page) => {
    await choose(page, 'mbway');
    await page.fill('#phone', '12');
    await pay(page);
    assert.equal(await page.getAttribute('#phone', 'aria-invalid'), 'true');
    assert.equal(await page.inputValue('#phone'), '12');
    await isFit(page);
  }));

test('an app that nobody answers gives the attempt up, and the page says so', () =>
  atTheCheckout({ countryCode: 'PT' }, async (page) => {
    await choose(page, 'mbway');
    await page.fill('#phone', '912 345 678');
    await pay(page);
    assert.match(await page.innerText('main'), /ending in 678/);
    await isFit(page);
    await page.getByText('The payment was not approved').waitFor();
    assert.equal(await page.isChecked('#mbway'), true, 'the method stays chosen');
    await choose(page, 'card');
    await typeCard(page, GOOD);
    await atTheShop(page, '/thanks', 'succeeded');
  }));

test('an attempt in another window is shown, and can be given up', () =>
  atTheCheckout({}, async (page, session) => {
    const other = await page.context().newPage();
    await other.goto(session.checkoutUrl);
    await typeCard(page, CHALLENGED);
    await typeCard(other, GOOD);
    assert.match(await other.innerText('main'), /One step is left/);
    await isFit(other);
    await press(other, 'button[value=cancel]');
    await typeCard(other, GOOD);
    await atTheShop(other, '/thanks', 'succeeded');
    await page.click('button[value=approve]');
    await page.getByText('Payment received').waitFor();
  }));

test('a buyer who leaves comes back to the shop unpaid', () =>
  atTheCheckout({}, async (page, session) => {
    await page.click('button[value=leave]');
    await atTheShop(page, '/sorry', 'failed');
    await page.goto(session.checkoutUrl);
    assert.match(await page.innerText('main'), /checkout is over/);
    await isFit(page);
  }));

test('everything works without JavaScript', () =>
  atTheCheckout(
    {},
    async (page) => {
      await choose(page, 'wero');
      await pay(page);
      await press(page, 'button[value=decline]');
      assert.match(await page.textContent('[role=alert]'), /not approved/);
      await choose(page, 'card');
      await page.fill('#cardNumber', '4242 4242 4242 4242');
      await page.fill('#expiry', '12/2030');
      await page.fill('#cvv', '123');
      await page.click('button[data-busy]');
      await atTheShop(page, '/thanks', 'succeeded');
    },
    { javaScriptEnabled: false },
  ));

test('the page can be read in the dark, on a small and on a wide screen', () =>
  atTheCheckout(
    {},
    async (page) => {
      await isFit(page);
      for (const size of [{ width: 320, height: 568 }, { width: 1280, height: 800 }]) {
        await page.setViewportSize(size);
        await isFit(page);
      }
    },
    { colorScheme: 'dark' },
  ));
