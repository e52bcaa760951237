//! Every route of the server.

use actors::domain::platform::limits::QuotaKind;

use super::operations;
use super::route::Route;
use crate::api::backoffice::{passes, sellers, switches};
use crate::api::billing::{
    contracts, customers, invoices, sandbox, subscriptions, test_clock, timeline,
};
use crate::api::payments::{allowlist, deliveries, webhooks};

/// All routes.
pub fn routes() -> Vec<Route> {
    let mut routes = vec![
        Route::get("/healthz", operations::health).summary("Whether the process runs").answer_as(
            200,
            "text/plain",
            "It does.",
        ),
        Route::get("/readyz", operations::readiness)
            .summary("Whether requests are taken")
            .answer_as(200, "text/plain", "They are.")
            .refuses(503, "Not yet, or not any more."),
        Route::get("/metrics", operations::metrics).summary("Figures for Prometheus").answer_as(
            200,
            "application/openmetrics-text",
            "The figures.",
        ),
        Route::get("/openapi.json", operations::document).summary("This document").answer_as(
            200,
            "application/json",
            "OpenAPI 3.1.",
        ),
        Route::get("/docs", operations::page).summary("This document to read").answer_as(
            200,
            "text/html",
            "A page.",
        ),
        Route::get("/docs/{file}", operations::asset)
            .summary("A file of the page")
            .path_text("file", "Name of the file.")
            .answer_as(200, "*/*", "The file.")
            .refuses(404, "No such file."),
        Route::post("/payments-api/v1/webhooks", webhooks::register)
            .tag("Webhooks")
            .summary("Register a webhook")
            .describe(
                "A URL that is registered and active is answered as it is, without its secret. \
                 One that was disabled becomes active again with the event types sent, and its \
                 original secret is shown. A replay shows no secret.",
            )
            .idempotent()
            .body::<webhooks::RegisterBody>()
            .answer::<webhooks::WebhookView>(201, "The webhook, with its secret, shown once.")
            .answer::<webhooks::WebhookView>(200, "The webhook that was there, or a replay.")
            .refuses(400, "A field is wrong, or an event type unknown.")
            .refuses(404, "The webhook of a replay is gone.")
            .refuses(409, "The key was used for a different request."),
        Route::get("/payments-api/v1/webhooks", webhooks::list)
            .tag("Webhooks")
            .summary("List webhooks")
            .answer::<webhooks::WebhookList>(200, "All of them, newest first."),
        Route::get("/payments-api/v1/webhooks/{webhookId}", webhooks::get)
            .tag("Webhooks")
            .summary("Read a webhook")
            .path_id("webhookId")
            .answer::<webhooks::WebhookView>(200, "The webhook, without its secret."),
        Route::patch("/payments-api/v1/webhooks/{webhookId}", webhooks::patch)
            .tag("Webhooks")
            .summary("Change a webhook")
            .describe(
                "`eventTypes` replaces the list as a whole; an empty one is the default again. \
                 Disabling ends deliveries that wait.",
            )
            .path_id("webhookId")
            .body::<webhooks::PatchBody>()
            .answer::<webhooks::WebhookView>(200, "The webhook as it is now.")
            .refuses(400, "A field is wrong or `null`."),
        Route::post(
            "/payments-api/v1/webhooks/{webhookId}/redeliver-failed",
            deliveries::redeliver_failed,
        )
        .tag("Webhooks")
        .summary("Send failed deliveries again")
        .path_id("webhookId")
        .idempotent()
        .body::<deliveries::RedeliverFailedBody>()
        .answer::<deliveries::Redelivered>(200, "How many are sent again; 0 on a replay.")
        .refuses(409, "The webhook is disabled, or the key was used for a different request."),
        Route::get("/payments-api/v1/webhook-deliveries", deliveries::list)
            .tag("Webhooks")
            .summary("List deliveries")
            .query_id("webhookId", "Only those to this webhook.")
            .query_text("eventType", "Only those of this event type.")
            .query_one_of(
                "status",
                &["pending", "delivered", "failed"],
                "Only those that stand so.",
            )
            .paged("beforeId")
            .answer::<deliveries::DeliveryList>(200, "Newest first."),
        Route::get("/payments-api/v1/webhook-deliveries/{deliveryId}", deliveries::get)
            .tag("Webhooks")
            .summary("Read a delivery")
            .path_id("deliveryId")
            .answer::<deliveries::DeliveryView>(200, "The delivery."),
        Route::post(
            "/payments-api/v1/webhook-deliveries/{deliveryId}/redeliver",
            deliveries::redeliver,
        )
        .tag("Webhooks")
        .summary("Send a delivery again")
        .describe("A new series of attempts with the same event id and body.")
        .path_id("deliveryId")
        .idempotent()
        .answer::<deliveries::DeliveryView>(200, "The delivery, pending again.")
        .refuses(409, "The webhook is disabled, or the key was used for a different request."),
        Route::post("/payments-api/v1/webhook-allowlist", allowlist::create)
            .tag("Webhooks")
            .summary("Allow a network")
            .describe(
                "With entries, deliveries go only into their networks. An entry never opens what \
                 the operator's guard keeps shut.",
            )
            .idempotent()
            .body::<allowlist::AllowBody>()
            .answer::<allowlist::EntryView>(201, "The entry.")
            .answer::<allowlist::EntryView>(200, "The entry that was there, or a replay.")
            .refuses(400, "No network.")
            .refuses(404, "The entry of a replay was deleted.")
            .refuses(409, "The key was used for a different request."),
        Route::get("/payments-api/v1/webhook-allowlist", allowlist::list)
            .tag("Webhooks")
            .summary("List allowed networks")
            .paged("beforeId")
            .answer::<allowlist::EntryList>(200, "Newest first."),
        Route::delete("/payments-api/v1/webhook-allowlist/{entryId}", allowlist::delete)
            .tag("Webhooks")
            .summary("Take a network from the allowlist")
            .path_id("entryId")
            .answer::<allowlist::Deleted>(200, "It is gone."),
    ];
    routes.extend(crate::pages::routes());
    routes.extend(agreements());
    routes.extend(recurrence());
    routes.extend(documents());
    routes.extend(operator());
    routes
}

/// Sandbox accounts, customers, contracts with their timeline and their test clock.
fn agreements() -> Vec<Route> {
    vec![
        Route::post("/billing-api/v1/sandbox/accounts", sandbox::mint)
            .open()
            .tag("Sandbox")
            .summary("Mint a sandbox account")
            .describe(
                "A demo account for 14 days, with customers, payees, wallets, terminals and a \
                 split rule to try things out. The key and the password are shown once. Never \
                 enter real personal or bank details. Only a server started with `--demo` gives \
                 accounts out, and only so many an hour to one client address.",
            )
            .body_optional::<sandbox::SandboxBody>()
            .answer::<sandbox::MintedView<'_>>(201, "The account.")
            .refuses(429, "Too many accounts for this client address; see `Retry-After`.")
            .refuses(503, "No sandbox accounts are given out here, or the server is busy."),
        Route::post("/billing-api/v1/customers", customers::find_or_create)
            .tag("Customers")
            .summary("Find or create a customer by e-mail")
            .describe(
                "The e-mail, compared in lower case, is the key. Details fill what is empty and \
                 overwrite nothing; an empty text says nothing.",
            )
            .body::<customers::CustomerBody>()
            .answer::<customers::CustomerView>(200, "The customer, new or known.")
            .refuses(400, "A field is missing, malformed or too long.")
            .refuses(422, "Another customer holds the `customerRef`."),
        Route::get("/billing-api/v1/customers", customers::list)
            .tag("Customers")
            .summary("List customers")
            .query_text("email", "Only the one of this e-mail, compared in lower case.")
            .query_text("customerRef", "Only the one that holds this reference.")
            .paged("beforeId")
            .answer::<customers::CustomerList>(200, "Newest first."),
        Route::get("/billing-api/v1/customers/{customerId}", customers::get)
            .tag("Customers")
            .summary("Read a customer")
            .path_id("customerId")
            .answer::<customers::CustomerView>(200, "The customer."),
        Route::get("/billing-api/v1/contracts", contracts::list)
            .tag("Contracts")
            .summary("List contracts")
            .describe("Without line items, which `GET /contracts/{contractId}` answers.")
            .paged("afterId")
            .answer::<contracts::ContractList>(200, "Oldest first."),
        Route::post("/billing-api/v1/contracts", contracts::create)
            .tag("Contracts")
            .summary("Make a contract")
            .describe(
                "Version 1, a draft. A repeated key answers the contract as it is now, and is \
                 held against the first request: `sellerCustomerId` and `currency` against the \
                 contract, `startDate`, `endDate` and `lineItems` (in any order) against version \
                 1, and of the customer's details those that the request states. A key is looked \
                 up before all that depends on time or state, so a replay stays one when the \
                 same request would be refused today. A refused request does not spend its key. \
                 Refusals and replays count in the quota.",
            )
            .idempotent()
            .quota(QuotaKind::Contracts)
            .body::<contracts::NewContractBody>()
            .answer::<contracts::ContractMade>(201, "The contract.")
            .answer::<contracts::ContractMade>(200, "A replay: the contract as it is now.")
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(422, "The key was used for a different contract; the text names the field.")
            .refuses(429, "The rate or the daily quota is used up; see `Retry-After`."),
        Route::get("/billing-api/v1/contracts/{contractId}", contracts::get)
            .tag("Contracts")
            .summary("Read a contract")
            .path_id("contractId")
            .answer::<contracts::ContractView>(200, "The current version with its line items."),
        Route::post("/billing-api/v1/contracts/{contractId}/amendments", contracts::amend)
            .tag("Contracts")
            .summary("Amend a contract")
            .describe(
                "Appends a version. Status moves: `draft` to `active`, `active` to `suspended` \
                 and back, and from all of these to `closed`; naming the present status is no \
                 move. A closed contract takes no amendment. Line items that carry the \
                 `lineItemId` of the current version stay the same items; others match by equal \
                 type, configuration and quantity, and the rest are new. Dates that stay what \
                 they were are not held against today's window. `null` for `endDate` asks that \
                 there be none, which is refused where there is one; elsewhere `null` is as \
                 leaving a field out.",
            )
            .path_id("contractId")
            .quota(QuotaKind::Amendments)
            .body::<contracts::AmendmentBody>()
            .answer::<contracts::ContractMade>(200, "The contract in its new version.")
            .refuses(400, "A field is malformed or out of bounds.")
            .refuses(422, "A stale version, a closed contract, or a move that is not allowed.")
            .refuses(429, "The rate or the daily quota is used up; see `Retry-After`."),
        Route::get("/billing-api/v1/contracts/{contractId}/versions", contracts::versions)
            .tag("Contracts")
            .summary("List the versions of a contract")
            .describe("The cursor is the number of a version.")
            .path_id("contractId")
            .paged("beforeId")
            .answer::<contracts::VersionList>(200, "Newest first, each with its full content."),
        Route::get("/billing-api/v1/contracts/{contractId}/timeline", timeline::list)
            .tag("Contracts")
            .summary("List the revenue timeline of a contract")
            .path_id("contractId")
            .paged("beforeId")
            .answer::<timeline::TimelineList>(200, "Newest first."),
        Route::get("/billing-api/v1/contracts/{contractId}/test-clock", test_clock::get)
            .tag("Test clock")
            .summary("Read the test clock of a contract")
            .describe("Reading makes no clock: until the first advance, `now` is the real time.")
            .path_id("contractId")
            .answer::<test_clock::ClockView>(200, "The clock.")
            .refuses(403, "A live account has no test clocks."),
        Route::post(
            "/billing-api/v1/contracts/{contractId}/test-clock/advance",
            test_clock::advance,
        )
        .tag("Test clock")
        .summary("Advance the test clock of a contract")
        .describe(
            "Moves the contract's own time forward, lets its subscriptions do what is due by \
                 then, and issues at most one invoice of their due terms. The first advance \
                 freezes the clock: from then on it moves by advances only.",
        )
        .path_id("contractId")
        .body::<test_clock::AdvanceBody>()
        .answer::<test_clock::AdvanceView>(200, "The clock, and what came of it.")
        .refuses(400, "`to` is no RFC 3339 instant, in the past, or over 366 days ahead.")
        .refuses(403, "A live account has no test clocks."),
    ]
}

/// Subscriptions.
fn recurrence() -> Vec<Route> {
    vec![
        Route::get("/billing-api/v1/subscriptions", subscriptions::list)
            .tag("Subscriptions")
            .summary("List subscriptions")
            .query_id("contractId", "Only those of this contract.")
            .paged("beforeId")
            .answer::<subscriptions::SubscriptionList>(200, "Newest first."),
        Route::get("/billing-api/v1/subscriptions/{subscriptionId}", subscriptions::get)
            .tag("Subscriptions")
            .summary("Read a subscription")
            .path_id("subscriptionId")
            .answer::<subscriptions::SubscriptionView>(200, "The subscription."),
        Route::post("/billing-api/v1/contracts/{contractId}/subscriptions", subscriptions::create)
            .tag("Subscriptions")
            .summary("Make a subscription")
            .describe(
                "A repeated key answers the subscription as it is now and is not held against the \
             body; under another contract it is refused. A start in the past begins every term \
             up to today. Terms are counted from the first paid day, so a short month never \
             moves the others. A trial that is over counts as over.",
            )
            .path_id("contractId")
            .idempotent()
            .body::<subscriptions::NewSubscriptionBody>()
            .answer::<subscriptions::SubscriptionView>(201, "The subscription.")
            .answer::<subscriptions::SubscriptionView>(
                200,
                "A replay: the subscription as it is now.",
            )
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(422, "The contract is closed, or the key was used under another contract."),
        Route::post("/billing-api/v1/subscriptions/{subscriptionId}/cancel", subscriptions::cancel)
            .tag("Subscriptions")
            .summary("Cancel a subscription")
            .describe(
                "At the end of the running period or trial, at once, or on a day. What has not \
             started is canceled at once. A begun term stays due in full unless `prorate` gives \
             the unused days back: one that is not billed is cut; for a billed one that takes \
             stored credits. Asking again replaces a scheduled cancel.",
            )
            .path_id("subscriptionId")
            .body_optional::<subscriptions::CancelBody>()
            .answer::<subscriptions::SubscriptionView>(200, "The subscription as it is now.")
            .refuses(400, "A field is malformed, or `at` lies before the contract's day.")
            .refuses(422, "It has ended, or unused days cannot be given back."),
        Route::post("/billing-api/v1/subscriptions/{subscriptionId}/pause", subscriptions::pause)
            .tag("Subscriptions")
            .summary("Pause a subscription")
            .describe("The running term is finished, and none begins until it is resumed.")
            .path_id("subscriptionId")
            .body_optional::<subscriptions::PauseBody>()
            .answer::<subscriptions::SubscriptionView>(200, "The subscription as it is now.")
            .refuses(400, "`resumesAt` is malformed or before the contract's day.")
            .refuses(422, "It is not active."),
        Route::post("/billing-api/v1/subscriptions/{subscriptionId}/resume", subscriptions::resume)
            .tag("Subscriptions")
            .summary("Resume a subscription")
            .describe("Ends a pause, the running term billed from this day on; or undoes a cancel.")
            .path_id("subscriptionId")
            .body_optional::<subscriptions::ResumeBody>()
            .answer::<subscriptions::SubscriptionView>(200, "The subscription as it is now.")
            .refuses(422, "There is neither a pause nor a scheduled cancel, or it has ended."),
        Route::post(
            "/billing-api/v1/subscriptions/{subscriptionId}/end-trial",
            subscriptions::end_trial,
        )
        .tag("Subscriptions")
        .summary("End a trial now")
        .path_id("subscriptionId")
        .body_optional::<subscriptions::EndTrialBody>()
        .answer::<subscriptions::SubscriptionView>(200, "The subscription in its first paid term.")
        .refuses(422, "There is no trial, or it may not become paid without a saved card."),
        Route::post(
            "/billing-api/v1/subscriptions/{subscriptionId}/change-plan",
            subscriptions::change_plan,
        )
        .tag("Subscriptions")
        .summary("Change the plan of a subscription")
        .describe(
            "At once, with the days left of the term credited at the old price and charged at \
             the new one, this day counted; or with the next term. Before the first paid day \
             nothing is prorated; while paused the change waits. A later change at the period's \
             end replaces an earlier one, and one to the present plan clears it.",
        )
        .path_id("subscriptionId")
        .body_optional::<subscriptions::ChangePlanBody>()
        .answer::<subscriptions::SubscriptionView>(200, "The subscription as it is now.")
        .refuses(400, "A field is malformed or out of bounds.")
        .refuses(422, "It has ended, or the frequency is to change within a paid term."),
    ]
}

/// Invoices.
fn documents() -> Vec<Route> {
    vec![
        Route::get("/billing-api/v1/invoices", invoices::list)
            .tag("Invoices")
            .summary("List invoices")
            .describe(
                "Without lines. `contractId`, `sellerCustomerId` and `corrects` are matched as \
                 given. The origin `subscription` is an older name of `recurring`.",
            )
            .query_text("contractId", "Only those of this contract.")
            .query_text("sellerCustomerId", "Only those of this customer.")
            .query_one_of("origin", invoices::ORIGINS, "Only those that bill this.")
            .query_one_of("status", invoices::STATUSES, "Only those that stand so.")
            .query_one_of("invoiceType", invoices::TYPES, "Only documents of this sort.")
            .query_text("corrects", "Only those that correct the invoice of this number.")
            .query_time("issuedFrom", "Only those issued at this time or later.")
            .query_time("issuedTo", "Only those issued before this time.")
            .paged("beforeId")
            .answer::<invoices::InvoiceList>(200, "Newest first."),
        Route::post("/billing-api/v1/invoices", invoices::create)
            .tag("Invoices")
            .summary("Issue an invoice")
            .describe(
                "Composes and numbers a document, and sends it unless `send` is false or it is \
                 collected by bank transfer. `recurring` bills the oldest due term of each \
                 subscription of the contract, with the plan changes bound to it, and `usage` \
                 closed usage; every other origin bills the lines that are stated. `adhoc` finds \
                 or makes the customer by `billTo.email` and a contract in the currency; the \
                 recipient's details fill what the customer lacks. A document with nothing to \
                 collect is paid at once.\n\nA repeated key answers the invoice as it is now, and \
                 is held against the first request field by field, after defaults: numbers by \
                 value, the e-mail in lower case, and of recipient and `dueDate` what was stated. \
                 Refusals and replays count in the quota; a refused request spends no key and \
                 leaves no customer behind.\n\nTax is computed for each rate on the sum of \
                 its lines, rounded half up once. A plan change within a term is one line with \
                 both legs where they have one tax rate, else a line for each; a credit is a \
                 discount on the subscription's line of its rate, or a negative line of its own.",
            )
            .idempotent()
            .quota(QuotaKind::Invoices)
            .body::<invoices::NewInvoiceBody>()
            .answer::<invoices::InvoiceView>(201, "The invoice with its lines.")
            .answer::<invoices::InvoiceView>(200, "A replay: the invoice as it is now.")
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(404, "The contract is unknown, or another seller's.")
            .refuses(422, "Nothing is due, the total is negative, or the key was used otherwise.")
            .refuses(429, "The rate or the daily quota is used up; see `Retry-After`."),
        Route::get("/billing-api/v1/invoices/{invoiceId}", invoices::get)
            .tag("Invoices")
            .summary("Read an invoice")
            .path_id("invoiceId")
            .answer::<invoices::InvoiceView>(200, "The invoice with its lines."),
        Route::post("/billing-api/v1/invoices/{invoiceId}/send", invoices::send)
            .tag("Invoices")
            .summary("Send an invoice")
            .describe("Makes its payment page. One that was sent keeps it, and its `sentAt`.")
            .path_id("invoiceId")
            .answer::<invoices::InvoiceView>(200, "The invoice as it is now.")
            .refuses(422, "It is collected by bank transfer, or nothing is to be paid."),
        Route::get("/billing-api/v1/invoices/{invoiceId}/settlement", invoices::settlement)
            .tag("Invoices")
            .summary("Read how an invoice was paid")
            .path_id("invoiceId")
            .answer::<invoices::SettlementView>(200, "Its payments, newest first."),
    ]
}

/// The back office.
fn operator() -> Vec<Route> {
    vec![
        Route::get("/backoffice/v1/switches", switches::list)
            .summary("List the switches")
            .answer::<switches::SwitchList>(200, "All of them."),
        Route::put("/backoffice/v1/switches/{name}", switches::put)
            .summary("Turn a switch")
            .describe(
                "For all sellers, or for one, who then keeps it whatever is turned for all. \
                 Takes effect at once and outlives a restart.",
            )
            .path_text("name", "Name of the switch.")
            .body::<switches::SwitchBody>()
            .answer::<switches::SwitchView>(200, "The switch as it stands now.")
            .refuses(400, "A field is malformed, or there is no such seller.")
            .refuses(404, "No such switch."),
        Route::get("/backoffice/v1/sellers", sellers::list)
            .summary("List seller accounts")
            .describe("Quotas and rate limits are shown as they hold, the settings' included.")
            .paged("beforeId")
            .answer::<sellers::SellerList>(200, "Newest first."),
        Route::post("/backoffice/v1/sellers", sellers::create)
            .summary("Make a live seller account")
            .describe("Active at once. Its key is shown in this answer and never again.")
            .body::<sellers::NewSellerBody>()
            .answer::<sandbox::MintedView<'_>>(201, "The account with its key.")
            .refuses(400, "A field is missing or malformed."),
        Route::patch("/backoffice/v1/sellers/{sellerAccountId}", sellers::patch)
            .summary("Change a seller account")
            .describe(
                "What is left out stays. Of quotas and rate limits, `null` goes back to the \
                 setting and 0 turns the limit off.",
            )
            .path_id("sellerAccountId")
            .body::<sellers::PatchSellerBody>()
            .answer::<sellers::SellerView>(200, "The account as it is now.")
            .refuses(400, "A field is malformed.")
            .refuses(422, "A minted sandbox account stays demo, and live never goes back."),
        Route::post("/backoffice/v1/passes/{name}/run", passes::run)
            .summary("Run a pass now")
            .describe(
                "Contracts on a test clock take part, by their own clock. A pass that is \
                 switched off does nothing and says so.",
            )
            .path_text("name", "Name of the pass.")
            .answer::<passes::PassRunView>(200, "What it did.")
            .refuses(404, "No such pass."),
    ]
}
