// A server of the browser tests' own: the real program on a free port with a fresh folder, a
// seller on it, and a browser that may talk to nobody else.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { AxeBuilder } from '@axe-core/playwright';
import { chromium } from 'playwright-core';

/** A phone held upright. */
export const PHONE = { width: 390, height: 844 };

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The program on a free port, with more settings if need be; `close` ends it and removes its
 * folder. */
export async function openHouse(more = {}) {
  const program = process.env.PROGRAM;
  if (!program) throw new Error('PROGRAM does not name the program');
  const folder = await mkdtemp(join(tmpdir(), 'accrue-browser-'));
  const settings = {
    ACCRUE_DEMO: 'true',
    ACCRUE_LIMITS__PAGES_PER_MINUTE: '0',
    ACCRUE_LIMITS__DASHBOARD_PER_HOUR: '0',
    ACCRUE_LIMITS__SANDBOX_PER_HOUR: '0',
    ACCRUE_LOG__FILTER: 'warn',
    ...more,
  };
  const server = spawn(program, ['serve', '--listen', '127.0.0.1:0', '--data', join(folder, 'data')], {
    cwd: folder,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = once(createInterface({ input: server.stdout }), 'line');
  const gone = once(server, 'exit').then(([code]) => {
    throw new Error(`the server ended with ${code} before it was ready`);
  });
  const [line] = await Promise.race([ready, gone]);
  gone.catch(() => {});
  const origin = line.replace('listening on ', '');
  const close = async () => {
    const exit = once(server, 'exit');
    server.kill('SIGTERM');
    const [code] = await exit;
    await rm(folder, { recursive: true });
    if (code !== 0) throw new Error(`the server ended with ${code}`);
  };
  return { origin, close };
}

/** A seller's shop, where buyers come back to: any page of it says that it is the shop. */
export async function openShop() {
  const server = createServer((request, answer) => {
    answer.setHeader('content-type', 'text/html; charset=utf-8');
    answer.end('<!doctype html><html lang="en"><title>Shop</title><h1>The shop</h1></html>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

/** A sandbox seller with a contract, and what it does over the API; `shop` is the origin that
 * its buyers come back to. */
export async function openSeller(origin, shop = 'http://localhost') {
  const call = async (method, path, body, headers = {}) => {
    const answer = await fetch(origin + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const minted = await call('POST', '/billing-api/v1/sandbox/accounts', {});
  let keys = 0;
  const own = (method, path, body) =>
    call(method, `/billing-api/v1${path}`, body, {
      authorization: `Bearer ${minted.apiKey}`,
      'idempotency-key': `browser-${(keys += 1)}`,
    });
  const customer = await own('GET', `/customers/${minted.customers[0].id}`);
  const contract = await own('POST', '/contracts', {
    sellerCustomerId: customer.id,
    currency: 'EUR',
    startDate: customer.createdAt.slice(0, 10),
  });
  const payments = (method, path, body) =>
    call(method, `/payments-api/v1${path}`, body, {
      authorization: `Bearer ${minted.apiKey}`,
      'idempotency-key': randomUUID(),
    });
  return {
    minted,
    customer,
    contract,
    billing: own,
    payments,
    checkout: (more) =>
      payments('POST', '/checkout', {
        externalOrderRef: `order-${(keys += 1)}`,
        amount: 49.9,
        currencyCode: 'EUR',
        returnUrls: { success: `${shop}/thanks?basket=7`, failure: `${shop}/sorry` },
        description: 'Two tickets for the harvest concert',
        sellerMerchantName: 'Nordlicht Concerts',
        ...more,
      }),
    /** A subscription by payment link, as its seller makes it at the dashboard. */
    subscription: async (input) => {
      const { email, password } = minted.dashboard;
      const entered = await fetch(`${origin}/api/v1/login/dashboard`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      const [cookie] = entered.headers.get('set-cookie').split(';');
      const query = `mutation ($input: CreateLinkSubscriptionInput!) {
        createLinkSubscription(input: $input) { id url } }`;
      const answer = await call('POST', '/dashboard/graphql', { query, variables: { input } }, { cookie });
      if (answer.errors) throw new Error(JSON.stringify(answer.errors));
      return answer.data.createLinkSubscription;
    },
    payment: (reference) => payments('GET', `/payments/${encodeURIComponent(reference)}`),
    invoice: (amount) =>
      own('POST', '/invoices', {
        contractId: contract.id,
        origin: 'one_time',
        lines: [{ description: 'Piano lessons', quantity: '1', unitPriceMinor: amount }],
      }),
    paid: async (invoice) => {
      for (let look = 0; look < 200; look += 1) {
        const now = await own('GET', `/invoices/${invoice.id}`);
        if (now.status === 'paid') return now;
        await new Promise((wake) => setTimeout(wake, 50));
      }
      throw new Error(`invoice ${invoice.id} was not paid`);
    },
  };
}

/** A browser with a fresh profile. Requests that leave `origin` and the `shop` are stopped and
 * kept. */
export async function openBrowser(origin, { shop, ...options } = {}) {
  const executablePath = process.env.CHROMIUM ?? BROWSERS.find(existsSync);
  const profile = await mkdtemp(join(tmpdir(), 'accrue-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: FLAGS,
    viewport: PHONE,
    ...options,
  });
  const astray = [];
  const troubles = [];
  await context.route('**/*', (route) => {
    const url = route.request().url();
    const known = url.startsWith(`${origin}/`) || (shop && url.startsWith(`${shop}/`));
    if (known || url.startsWith('data:')) return route.continue();
    astray.push(url);
    return route.abort();
  });
  context.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  context.on('weberror', (error) => troubles.push(String(error.error())));
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  const page = context.pages()[0] ?? (await context.newPage());
  return { page, astray, troubles, close };
}

/** What axe finds on a page that keeps somebody out; `all` finds too what is in the way, by these
 * `rules` alone if there are some. */
export async function barriers(page, { all = false, rules } = {}) {
  const axe = new AxeBuilder({ page });
  const found = await (rules ? axe.withRules(rules) : axe).analyze();
  return found.violations
    .filter((one) => all || ['serious', 'critical'].includes(one.impact))
    .map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(', ')}`);
}

/** Presses Tab until the focus is on what `selector` names. */
export async function tabTo(page, selector) {
  for (let presses = 0; presses < 40; presses += 1) {
    const there = await page.evaluate((name) => document.activeElement?.matches(name), selector);
    if (there) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${selector} cannot be reached with the keyboard`);
}

/** Types a card with the keyboard alone. */
export async function writeCard(page, number) {
  const fields = { cardNumber: number, expiry: '1230', cvv: '123' };
  for (const [name, value] of Object.entries(fields)) {
    await tabTo(page, `#${name}`);
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(value);
  }
}

/** The same, sent with Enter. */
export async function typeCard(page, number) {
  await writeCard(page, number);
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
}
