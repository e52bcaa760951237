//! The fields of GraphQL: each is a route of the API, or one of the dashboard's own, under a name.

use actors::domain::platform::person::PersonRole::{self, Developer, Finance, Owner, Viewer};

/// One field of a query or a mutation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    /// Method and path of the route behind it.
    pub(super) route: &'static str,
    /// Names that differ: here, and of the route. `amountMinor` of a route's `amount` is turned
    /// into major units.
    pub(super) renamed: &'static [(&'static str, &'static str)],
    /// Who may use it.
    pub(super) roles: &'static [PersonRole],
    /// The part of the route's answer that is the field's, where the rest of it says what was not
    /// done: that is told as errors.
    pub(super) part: Option<&'static str>,
}

pub(super) const EVERYBODY: &[PersonRole] = &[Owner, Finance, Developer, Viewer];
const OWNER: &[PersonRole] = &[Owner];
/// Money and documents.
const MONEY: &[PersonRole] = &[Owner, Finance];
/// Keys, webhooks, metrics and prices.
const MACHINES: &[PersonRole] = &[Owner, Developer];

const fn query(name: &'static str, route: &'static str) -> Field {
    Field { name, route, renamed: &[], roles: EVERYBODY, part: None }
}

const fn one(
    name: &'static str,
    route: &'static str,
    renamed: &'static [(&'static str, &'static str)],
) -> Field {
    Field { name, route, renamed, roles: EVERYBODY, part: None }
}

const fn mutation(
    name: &'static str,
    roles: &'static [PersonRole],
    route: &'static str,
    renamed: &'static [(&'static str, &'static str)],
) -> Field {
    Field { name, route, renamed, roles, part: None }
}

pub(super) const QUERIES: &[Field] = &[
    query("me", "GET /dashboard/own/me"),
    query("account", "GET /dashboard/own/account"),
    query("demoFill", "GET /dashboard/own/demo-fill"),
    query("search", "GET /dashboard/own/search"),
    query("overview", "GET /dashboard/own/overview"),
    query("people", "GET /dashboard/own/people"),
    Field { roles: MACHINES, ..query("apiKeys", "GET /dashboard/own/keys") },
    Field { roles: MONEY, ..query("auditEntries", "GET /dashboard/own/audit") },
    query("splitRules", "GET /dashboard/own/split-rules"),
    one("splitRule", "GET /dashboard/own/split-rules/{ruleId}", &[("id", "ruleId")]),
    query("previewSplit", "GET /dashboard/own/split-rules/{ruleId}/preview"),
    query("paymentLinks", "GET /dashboard/own/payment-links"),
    one(
        "paymentLink",
        "GET /dashboard/own/payment-links/{paymentLinkId}",
        &[("id", "paymentLinkId")],
    ),
    query("linkSubscriptions", "GET /dashboard/own/link-subscriptions"),
    one(
        "linkSubscription",
        "GET /dashboard/own/link-subscriptions/{linkSubscriptionId}",
        &[("id", "linkSubscriptionId")],
    ),
    query(
        "linkSubscriptionPayments",
        "GET /dashboard/own/link-subscriptions/{linkSubscriptionId}/payments",
    ),
    query("promoCodes", "GET /dashboard/own/promo-codes"),
    one("promoCode", "GET /dashboard/own/promo-codes/{promoCodeId}", &[("id", "promoCodeId")]),
    query("terminals", "GET /backoffice/v1/sellers/{sellerAccountId}/terminals"),
    query("customers", "GET /billing-api/v1/customers"),
    one("customer", "GET /billing-api/v1/customers/{customerId}", &[("id", "customerId")]),
    query("contracts", "GET /billing-api/v1/contracts"),
    one("contract", "GET /billing-api/v1/contracts/{contractId}", &[("id", "contractId")]),
    query("versions", "GET /billing-api/v1/contracts/{contractId}/versions"),
    query("timeline", "GET /billing-api/v1/contracts/{contractId}/timeline"),
    query("testClock", "GET /billing-api/v1/contracts/{contractId}/test-clock"),
    query("subscriptions", "GET /billing-api/v1/subscriptions"),
    one(
        "subscription",
        "GET /billing-api/v1/subscriptions/{subscriptionId}",
        &[("id", "subscriptionId")],
    ),
    query("invoices", "GET /billing-api/v1/invoices"),
    one("invoice", "GET /billing-api/v1/invoices/{invoiceId}", &[("id", "invoiceId")]),
    query("drafts", "GET /dashboard/own/drafts"),
    one("draft", "GET /dashboard/own/drafts/{invoiceId}", &[("id", "invoiceId")]),
    query("simulate", "POST /billing-api/v1/contracts/{contractId}/simulate"),
    query("settlement", "GET /billing-api/v1/invoices/{invoiceId}/settlement"),
    query("upcomingInvoice", "GET /billing-api/v1/contracts/{contractId}/invoices/upcoming"),
    query("lineEvents", "GET /billing-api/v1/invoices/{invoiceId}/lines/{lineId}/events"),
    query("creditEntries", "GET /billing-api/v1/contracts/{contractId}/credits"),
    query("autoTopup", "GET /billing-api/v1/contracts/{contractId}/credits/auto-topup"),
    query("credits", "GET /billing-api/v1/credits"),
    query("usage", "GET /billing-api/v1/contracts/{contractId}/usage"),
    query("usageSeries", "GET /billing-api/v1/contracts/{contractId}/usage/{metric}/series"),
    query("lateUsage", "GET /billing-api/v1/contracts/{contractId}/usage/late"),
    query("metrics", "GET /billing-api/v1/usage/metrics"),
    one("metric", "GET /billing-api/v1/usage/metrics/{metricName}", &[("name", "metricName")]),
    query("price", "GET /billing-api/v1/usage/contracts/{contractId}/metrics/{metricName}/price"),
    query("evaluatePrice", "POST /billing-api/v1/prices/evaluate"),
    one("backtestPrice", BACKTEST, &[("metricName", "metric")]),
    query("deadLetters", "GET /billing-api/v1/usage/dead-letters"),
    query("webhookEndpoints", "GET /billing-api/v1/usage/webhook-endpoints"),
    query("upload", "GET /billing-api/v1/usage/csv/{uploadId}"),
    query("events", "GET /billing-api/v1/events"),
    query("taxRates", "GET /billing-api/v1/tax/rates"),
    query("evaluateTax", "POST /billing-api/v1/tax/evaluate"),
    query("payments", "GET /payments-api/v1/payments"),
    one("payment", PAYMENT, &[("id", "externalOrderRef")]),
    one("genericPayment", PAYMENT, &[("id", "externalOrderRef")]),
    one(
        "splitDecisions",
        "GET /payments-api/v1/payments/{externalOrderRef}/split-decisions",
        &[("paymentId", "externalOrderRef")],
    ),
    query("paymentMethods", "GET /payments-api/v1/payment-methods"),
    query("payees", "GET /payments-api/v1/payees"),
    one("payee", "GET /payments-api/v1/payees/{payeeId}", &[("id", "payeeId")]),
    query("payoutMethods", "GET /payments-api/v1/payees/{payeeId}/payout-methods"),
    query("wallets", "GET /payments-api/v1/wallets"),
    one("wallet", "GET /payments-api/v1/wallets/{walletId}", &[("id", "walletId")]),
    query("walletEntries", "GET /payments-api/v1/wallets/{walletId}/entries"),
    query("payouts", "GET /payments-api/v1/payouts"),
    one("payout", "GET /payments-api/v1/payouts/{payoutId}", &[("id", "payoutId")]),
    query("topupInvoices", "GET /payments-api/v1/topup-invoices"),
    one(
        "topupInvoice",
        "GET /payments-api/v1/topup-invoices/{topupInvoiceId}",
        &[("id", "topupInvoiceId")],
    ),
    query("vendors", "GET /payments-api/v1/vendors"),
    one("vendor", "GET /payments-api/v1/vendors/{vendorId}", &[("id", "vendorId")]),
    query("webhooks", "GET /payments-api/v1/webhooks"),
    one("webhook", "GET /payments-api/v1/webhooks/{webhookId}", &[("id", "webhookId")]),
    query("deliveries", "GET /payments-api/v1/webhook-deliveries"),
    one(
        "delivery",
        "GET /payments-api/v1/webhook-deliveries/{deliveryId}",
        &[("id", "deliveryId")],
    ),
    query("allowlist", "GET /payments-api/v1/webhook-allowlist"),
];

const BACKTEST: &str =
    "POST /billing-api/v1/contracts/{contractId}/metrics/{metric}/price/backtest";
const PAYMENT: &str = "GET /payments-api/v1/payments/{externalOrderRef}";
const OF_PAYMENT: &[(&str, &str)] = &[("paymentId", "externalOrderRef"), ("amountMinor", "amount")];

pub(super) const MUTATIONS: &[Field] = &[
    // People, the account, and what is its owner's.
    mutation("invitePerson", OWNER, "POST /dashboard/own/people", &[]),
    mutation("changeRole", OWNER, "POST /dashboard/own/people/{personId}/role", &[]),
    mutation("removePerson", OWNER, "DELETE /dashboard/own/people/{personId}", &[]),
    mutation("updateSettings", OWNER, "POST /dashboard/own/settings", &[]),
    mutation("setTaxMode", OWNER, "POST /dashboard/own/tax-mode", &[]),
    mutation("setPortalActions", OWNER, "POST /dashboard/own/portal-actions", &[]),
    mutation("setReturnHosts", OWNER, "POST /dashboard/own/return-hosts", &[]),
    mutation("saveTerminal", OWNER, "POST /dashboard/own/terminals", &[]),
    mutation("goLive", OWNER, "POST /dashboard/own/go-live", &[]),
    // Keys, webhooks, metrics and prices.
    mutation("createApiKey", MACHINES, "POST /dashboard/own/keys", &[]),
    mutation("rotateApiKey", MACHINES, "POST /dashboard/own/keys/{id}/rotate", &[]),
    mutation("revokeApiKey", MACHINES, "DELETE /dashboard/own/keys/{id}", &[]),
    mutation("createWebhook", MACHINES, "POST /payments-api/v1/webhooks", &[]),
    mutation("updateWebhook", MACHINES, "PATCH /payments-api/v1/webhooks/{webhookId}", &[]),
    mutation(
        "rotateWebhookSecret",
        MACHINES,
        "POST /dashboard/own/webhooks/{webhookId}/rotate-secret",
        &[],
    ),
    mutation(
        "redeliverWebhook",
        MACHINES,
        "POST /payments-api/v1/webhook-deliveries/{deliveryId}/redeliver",
        &[],
    ),
    mutation(
        "redeliverFailed",
        MACHINES,
        "POST /payments-api/v1/webhooks/{webhookId}/redeliver-failed",
        &[],
    ),
    mutation("deleteWebhook", MACHINES, "DELETE /payments-api/v1/webhooks/{webhookId}", &[]),
    mutation(
        "redriveDeadLetter",
        MACHINES,
        "POST /billing-api/v1/usage/dead-letters/{deadLetterId}/redrive",
        &[],
    ),
    mutation(
        "discardDeadLetter",
        MACHINES,
        "POST /billing-api/v1/usage/dead-letters/{deadLetterId}/discard",
        &[],
    ),
    mutation("allowNetwork", MACHINES, "POST /payments-api/v1/webhook-allowlist", &[]),
    mutation(
        "disallowNetwork",
        MACHINES,
        "DELETE /payments-api/v1/webhook-allowlist/{entryId}",
        &[],
    ),
    mutation("createUsageEndpoint", MACHINES, "POST /dashboard/own/usage-endpoints", &[]),
    mutation("rotateUsageEndpointSecret", MACHINES, ENDPOINT_SECRET, &[]),
    mutation(
        "revokeUsageEndpoint",
        MACHINES,
        "POST /billing-api/v1/usage/webhook-endpoints/{endpointId}/revoke",
        &[],
    ),
    mutation("registerMetric", MACHINES, "POST /billing-api/v1/usage/metrics", &[]),
    mutation(
        "savePrice",
        MACHINES,
        "PUT /billing-api/v1/usage/contracts/{contractId}/metrics/{metricName}/price",
        &[],
    ),
    mutation("correctLateUsage", MONEY, "POST /dashboard/own/late-usage", &[]),
    mutation("setUsageLimitPolicy", MACHINES, "POST /dashboard/own/usage-limit", &[]),
    mutation("advanceTestClock", MACHINES, CLOCK, &[]),
    // Money and documents.
    mutation("createCustomer", MONEY, "POST /billing-api/v1/customers", &[]),
    mutation(
        "removeSavedCard",
        MONEY,
        "DELETE /billing-api/v1/customers/{customerId}/saved-cards/{savedCardId}",
        &[],
    ),
    mutation("createContract", MONEY, "POST /billing-api/v1/contracts", &[]),
    mutation(
        "createSubscription",
        MONEY,
        "POST /billing-api/v1/contracts/{contractId}/subscriptions",
        &[],
    ),
    mutation(
        "cancelSubscription",
        MONEY,
        "POST /billing-api/v1/subscriptions/{subscriptionId}/cancel",
        &[],
    ),
    mutation(
        "pauseSubscription",
        MONEY,
        "POST /billing-api/v1/subscriptions/{subscriptionId}/pause",
        &[],
    ),
    mutation(
        "resumeSubscription",
        MONEY,
        "POST /billing-api/v1/subscriptions/{subscriptionId}/resume",
        &[],
    ),
    mutation(
        "endTrial",
        MONEY,
        "POST /billing-api/v1/subscriptions/{subscriptionId}/end-trial",
        &[],
    ),
    mutation(
        "changePlan",
        MONEY,
        "POST /billing-api/v1/subscriptions/{subscriptionId}/change-plan",
        &[],
    ),
    mutation(
        "topUpCredits",
        MONEY,
        "POST /billing-api/v1/contracts/{contractId}/credits/top-up",
        &[],
    ),
    mutation("amendContract", MONEY, "POST /billing-api/v1/contracts/{contractId}/amendments", &[]),
    mutation(
        "setAutoTopup",
        MONEY,
        "PUT /billing-api/v1/contracts/{contractId}/credits/auto-topup",
        &[],
    ),
    mutation("changeSeats", MONEY, "POST /dashboard/own/seats", &[]),
    mutation("voidInvoice", MONEY, "POST /dashboard/own/invoices/{invoiceId}/void", &[]),
    mutation("writeOffInvoice", MONEY, "POST /dashboard/own/invoices/{invoiceId}/write-off", &[]),
    mutation("createDraftInvoice", MONEY, "POST /dashboard/own/drafts", &[]),
    mutation("issueDraftInvoice", MONEY, "POST /dashboard/own/drafts/{invoiceId}/issue", &[]),
    Field { part: Some("invoices"), ..mutation("runBilling", MONEY, BILLING_RUN, &[]) },
    mutation("completeWorkItem", MONEY, "POST /dashboard/own/work-items", &[]),
    mutation("createCreditNote", MONEY, "POST /dashboard/own/credit-notes", &[]),
    mutation("sendInvoice", MONEY, "POST /billing-api/v1/invoices/{invoiceId}/send", &[]),
    mutation("cancelPayment", MONEY, CANCEL, OF_PAYMENT),
    mutation("capturePayment", MONEY, CAPTURE, OF_PAYMENT),
    mutation("refundPayment", MONEY, REFUND, OF_PAYMENT),
    mutation("saveSplitRule", MONEY, "POST /dashboard/own/split-rules", &[]),
    mutation("activateSplit", MONEY, "POST /dashboard/own/split-rules/{ruleId}/activate", &[]),
    mutation("createPayee", MONEY, "POST /payments-api/v1/payees", &[]),
    mutation(
        "addPayoutMethod",
        MONEY,
        "POST /payments-api/v1/payees/{payeeId}/payout-methods",
        &[],
    ),
    mutation(
        "deletePayoutMethod",
        MONEY,
        "DELETE /payments-api/v1/payees/{payeeId}/payout-methods/{methodId}",
        &[],
    ),
    mutation("createPayout", MONEY, "POST /payments-api/v1/payouts", &[]),
    mutation("createPaymentLink", MONEY, "POST /dashboard/own/payment-links", &[]),
    mutation("updatePaymentLink", MONEY, LINK, &[]),
    mutation(
        "cancelPaymentLink",
        MONEY,
        "POST /dashboard/own/payment-links/{paymentLinkId}/cancel",
        &[],
    ),
    mutation("createLinkSubscription", MONEY, "POST /dashboard/own/link-subscriptions", &[]),
    mutation(
        "cancelLinkSubscription",
        MONEY,
        "POST /dashboard/own/link-subscriptions/{linkSubscriptionId}/cancel",
        &[],
    ),
    mutation("createPromoCode", MONEY, "POST /dashboard/own/promo-codes", &[]),
    mutation("saveSellerPayoutMethod", MONEY, "POST /dashboard/own/payout-methods", &[]),
];

const ENDPOINT_SECRET: &str =
    "POST /billing-api/v1/usage/webhook-endpoints/{endpointId}/rotate-secret";
const BILLING_RUN: &str = "POST /dashboard/own/contracts/{contractId}/billing-run";
const LINK: &str = "POST /dashboard/own/payment-links/{paymentLinkId}";
const CANCEL: &str = "POST /payments-api/v1/payments/{externalOrderRef}/cancel";
const CAPTURE: &str = "POST /payments-api/v1/payments/{externalOrderRef}/capture";
const REFUND: &str = "POST /payments-api/v1/payments/{externalOrderRef}/refund";
const CLOCK: &str = "POST /billing-api/v1/contracts/{contractId}/test-clock/advance";

/// Decided by its own form: it replaces the account's first key.
pub(super) const REGENERATE: Field = mutation(
    "regenerateSellerAccountToken",
    MACHINES,
    "POST /dashboard/own/sellers/{merchantId}/token",
    &[],
);
