// A seller's dashboard in a real browser: signed in, and whatever goes wrong on it is told.

import assert from 'node:assert/strict';

import { openBrowser } from './house.mjs';
import { openShopOfEverything, signIn } from './shop.mjs';

export const SCREEN = { width: 1280, height: 900 };

/** A shop of everything in a house, and the ways into its dashboard. */
export async function openDashboard(house) {
  const shop = await openShopOfEverything(house.origin);
  const at = (address) => `${house.origin}/dashboard${address}`;

  /** A signed-in browser that may go nowhere else; whatever a page complains of fails its test. */
  const dashboard = async (options, act) => {
    const browser = await openBrowser(house.origin, { viewport: SCREEN, ...options });
    try {
      browser.page.setDefaultTimeout(12_000);
      await signIn(browser.page, house.origin, options.as ?? shop.minted.dashboard);
      await act(browser.page);
      assert.deepEqual(browser.astray, [], 'nothing is asked of another host');
      assert.deepEqual(browser.troubles, [], 'nothing is complained of');
    } finally {
      await browser.close();
    }
  };

  /** A page is there when it has a heading and nothing of it still comes. */
  const open = async (page, address) => {
    await page.goto(at(address));
    const heading = page.locator('main h1').first();
    await heading.waitFor().catch((error) => assert.fail(`${address} has no heading: ${error.message}`));
    await page.waitForFunction(() => !document.querySelector('.loading, [aria-busy="true"]'));
  };

  return { shop, dashboard, at, open };
}
