//! Sandbox accounts, customers, contracts with their timeline and their test clock.

use actors::domain::platform::limits::QuotaKind;

use crate::api::billing::{contracts, customers, sandbox, test_clock, timeline};
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
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
