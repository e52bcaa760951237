// A seller's journey with the client that openapi-typescript makes of the API document. The README
// shows parts of this file.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths, webhooks } from "./accrue.js";

type Invoice = components["schemas"]["InvoiceView"];
type PaidInvoice = webhooks["InvoicePaid"]["post"]["requestBody"]["content"]["application/json"];

const origin = process.argv[2] ?? "http://127.0.0.1:8080";
let askedToWait = 0;

const sandbox = createClient<paths>({ baseUrl: origin });
const minted = ok(await sandbox.POST("/billing-api/v1/sandbox/accounts", { body: {} }));
const { apiKey } = minted;

// Waits for as long as the server asks, and sends the same again: a write has its key.
async function patient(request: Request): Promise<Response> {
  for (;;) {
    const answer = await fetch(request.clone());
    if (answer.status !== 429 && answer.status !== 503) return answer;
    askedToWait += 1;
    const seconds = Number(answer.headers.get("Retry-After") ?? 1);
    await new Promise((goOn) => setTimeout(goOn, seconds * 1000));
  }
}

const accrue = createClient<paths>({
  baseUrl: origin,
  headers: { Authorization: `Bearer ${apiKey}` },
  fetch: patient,
});

const today = new Date().toISOString().slice(0, 10);
const customer = ok(
  await accrue.POST("/billing-api/v1/customers", {
    body: { email: "ada@example.com", name: "Ada Lovelace" },
  }),
);
const contract = ok(
  await accrue.POST("/billing-api/v1/contracts", {
    params: { header: key() },
    body: {
      sellerCustomerId: customer.id,
      currency: "EUR",
      startDate: today,
      lineItems: [
        { componentType: "recurring", quantity: "1", componentConfig: { plan: "team", seats: 5 } },
      ],
    },
  }),
);
assert.deepEqual(contract.lineItems?.[0]?.componentConfig, { plan: "team", seats: 5 });
const onContract = { path: { contractId: contract.id } };
ok(
  await accrue.POST("/billing-api/v1/contracts/{contractId}/amendments", {
    params: onContract,
    body: { expectedBaseVersion: contract.version, status: "active" },
  }),
);
const subscription = ok(
  await accrue.POST("/billing-api/v1/contracts/{contractId}/subscriptions", {
    params: { ...onContract, header: key() },
    body: { frequency: "monthly", priceMinor: 2900, currency: "EUR", startDate: today },
  }),
);

// One key is one invoice, however often it is asked for.
const once = { header: { "Idempotency-Key": `first-invoice-of-${contract.id}` } };
const body = { contractId: contract.id, origin: "recurring" as const };
const first = ok(await accrue.POST("/billing-api/v1/invoices", { params: once, body }));
const again = await accrue.POST("/billing-api/v1/invoices", { params: once, body });
assert.equal(again.response.headers.get("Idempotent-Replayed"), "true");
assert.equal(ok(again).id, first.id);

// Usage of a metric that has a price.
ok(
  await accrue.POST("/billing-api/v1/usage/metrics", {
    body: { name: "calls", unit: "call", aggregation: "sum" },
  }),
);
ok(
  await accrue.PUT("/billing-api/v1/usage/contracts/{contractId}/metrics/{metricName}/price", {
    params: { path: { contractId: contract.id, metricName: "calls" } },
    body: {
      effectiveFrom: today,
      config: { scheme: "per_unit", currency: "EUR", rounding: "half_up", unitPrice: "0.02" },
    },
  }),
);
const recorded = ok(
  await accrue.POST("/billing-api/v1/usage/events", {
    body: {
      contractId: String(contract.id),
      metric: "calls",
      quantity: "250",
      occurredAt: `${today}T00:00:00Z`,
      idempotencyKey: randomUUID(),
      metadata: { region: "eu" },
    },
  }),
);
assert.equal(recorded.metered, true);
const usage = ok(
  await accrue.GET("/billing-api/v1/contracts/{contractId}/usage", { params: onContract }),
);
assert.equal(usage.metrics[0]?.used, "250");

// Five months pass, and each is billed.
for (let month = 1; month <= 5; month += 1) {
  const to = new Date();
  to.setUTCMonth(to.getUTCMonth() + month, 28);
  const advance = "/billing-api/v1/contracts/{contractId}/test-clock/advance";
  ok(await accrue.POST(advance, { params: onContract, body: { to: to.toISOString() } }));
}

// Every invoice, page by page, newest first.
async function* invoices(): AsyncGenerator<Invoice> {
  for (let cursor = 0; ; ) {
    const query = { limit: 2, cursor, contractId: String(contract.id) };
    const page = ok(await accrue.GET("/billing-api/v1/invoices", { params: { query } }));
    yield* page.invoices;
    if (!page.hasMore) return;
    cursor = page.nextCursor ?? 0;
  }
}

const all: Invoice[] = [];
for await (const invoice of invoices()) all.push(invoice);
assert.ok(all.length >= 5, `${all.length} invoices`);
assert.equal(new Set(all.map((invoice) => invoice.id)).size, all.length);
assert.equal(all.at(-1)?.id, first.id);
assert.ok(all.every((invoice) => invoice.collectibleMinor === subscription.priceMinor));

// The buyer pays the first one, on the page that its link leads to.
const card = { cardNumber: "4242424242424242", expMonth: "12", expYear: "2040", cvv: "123" };
const paid = await fetch(first.paymentUrl ?? "", {
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json" },
  body: JSON.stringify({ ...card, holderName: "Ada Lovelace" }),
});
assert.equal(paid.status, 200, await paid.text());
const ofFirst = { params: { path: { invoiceId: first.id } } };
let invoice = first;
while (invoice.status !== "paid") {
  await new Promise((goOn) => setTimeout(goOn, 100));
  invoice = ok(await accrue.GET("/billing-api/v1/invoices/{invoiceId}", ofFirst));
}
assert.equal(invoice.outstandingMinor, 0);

// Webhooks are told, and so is who asks.
const query = { eventType: "InvoicePaid" as const };
const events = ok(await accrue.GET("/billing-api/v1/events", { params: { query } }));
const told = events.events[0] as PaidInvoice;
assert.equal(told.payload.invoiceId, first.id);

// A part of a payment goes back.
ok(
  await accrue.POST("/payments-api/v1/initialize-payment", {
    params: { header: key() },
    body: {
      externalOrderRef: "order-1",
      amount: 100,
      currencyCode: "EUR",
      skip3DS: true,
      cardData: { cardNumber: "4242424242424242", cvv: "123", expMonth: 12, expYear: 2040 },
      billingDetails: { country: "DE", zip: "10115" },
    },
  }),
);
const refund = await accrue.POST("/payments-api/v1/payments/{externalOrderRef}/refund", {
  params: { path: { externalOrderRef: "order-1" }, header: key() },
  body: { amount: 33.33, reason: "damaged" },
});
assert.equal(ok(refund).amount, 33.33);

// What is refused says why.
const refused = await accrue.GET("/billing-api/v1/invoices/{invoiceId}", {
  params: { path: { invoiceId: 999_999 } },
});
assert.equal(refused.response.status, 404);
assert.ok(askedToWait > 0, "the server never asked to wait");
console.log(`TypeScript: ${all.length} invoices, one of them paid; waited ${askedToWait} times`);

function key(): { "Idempotency-Key": string } {
  return { "Idempotency-Key": randomUUID() };
}

function ok<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.status} ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}
