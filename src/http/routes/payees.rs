//! Payees, their payout methods, wallets and payouts; and the operator's part in them.

use crate::api::backoffice::{payees as verifying, payouts as settling};
use crate::api::payments::{payees, payout_methods, payouts, wallets};
use crate::http::route::Route;

const STATUSES: &[&str] = &["pending", "processing", "completed", "failed", "cancelled"];

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    [payee_routes(), wallet_routes(), payout_routes(), operator_routes()].concat()
}

fn payee_routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/payees", payees::create)
            .tag("Payees")
            .summary("Make a payee")
            .describe(
                "Verification begins at once, and tells of itself in `KYBVerification…` events. In \
                 a demo account it passes by itself within seconds.",
            )
            .idempotent()
            .body::<payees::PayeeBody>()
            .answer::<payees::PayeeView>(201, "The payee.")
            .answer::<payees::PayeeView>(200, "A replay: the payee as it is now.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(
                409,
                "Another payee has the `payeeContractId`, or the key was used for a different \
                 request.",
            ),
        Route::post("/payments-api/v1/payees/setup", payees::setup)
            .tag("Payees")
            .summary("Make a payee with a payout method and a wallet")
            .describe("All three or none.")
            .idempotent()
            .body::<payees::SetupBody>()
            .answer::<payees::SetupView>(201, "The three of them.")
            .answer::<payees::SetupView>(200, "A replay: the three as they are now.")
            .refuses(400, "A field is missing or wrong; the text names it with its part.")
            .refuses(
                409,
                "Another payee has the `payeeContractId`, or the key was used for a different \
                 request.",
            ),
        Route::get("/payments-api/v1/payees", payees::list)
            .tag("Payees")
            .summary("List payees")
            .paged("beforeId")
            .answer::<payees::PayeeList>(200, "Newest first, archived ones too."),
        Route::get("/payments-api/v1/payees/{payeeId}", payees::get)
            .tag("Payees")
            .summary("Read a payee")
            .path_id("payeeId")
            .answer::<payees::PayeeView>(200, "The payee."),
        Route::patch("/payments-api/v1/payees/{payeeId}", payees::patch)
            .tag("Payees")
            .summary("Change a payee")
            .describe(
                "A field that is left out stays. `null` takes one away, but not `displayName` or \
                 `role`. A changed `displayName`, `businessName` or `taxId` restarts verification.",
            )
            .path_id("payeeId")
            .body::<payees::PatchPayeeBody>()
            .answer::<payees::PayeeView>(200, "The payee as it is now.")
            .refuses(400, "A field is wrong.")
            .refuses(409, "Another payee has the `payeeContractId`, or the payee is archived."),
        Route::delete("/payments-api/v1/payees/{payeeId}", payees::archive)
            .tag("Payees")
            .summary("Archive a payee")
            .path_id("payeeId")
            .answer::<payees::Archived>(200, "It is archived, and its wallets are closed.")
            .refuses(409, "It has an open payout, or a balance that is not zero."),
        Route::post("/payments-api/v1/payees/{payeeId}/payout-methods", payout_methods::create)
            .tag("Payees")
            .summary("Add a payout method")
            .describe(
                "IBAN, BIC, sort code and routing number are checked. Currency and \
                 `bankAccountType` must fit.",
            )
            .path_id("payeeId")
            .idempotent()
            .body::<payout_methods::MethodBody>()
            .answer::<payout_methods::MethodView>(201, "The method, its account masked.")
            .answer::<payout_methods::MethodView>(200, "A replay.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "No such payee, or the method of a replay was deleted.")
            .refuses(409, "The payee is archived, or the key was used for a different request."),
        Route::get("/payments-api/v1/payees/{payeeId}/payout-methods", payout_methods::list)
            .tag("Payees")
            .summary("List the payout methods of a payee")
            .path_id("payeeId")
            .paged("beforeId")
            .answer::<payout_methods::MethodList>(200, "Those in use, newest first."),
        Route::delete(
            "/payments-api/v1/payees/{payeeId}/payout-methods/{methodId}",
            payout_methods::delete,
        )
        .tag("Payees")
        .summary("Delete a payout method")
        .describe("Payouts that were made to it keep their copy of the account.")
        .path_id("payeeId")
        .path_id("methodId")
        .answer::<payout_methods::MethodDeleted>(200, "It is gone.")
        .refuses(
            409,
            "A payout to it is open, or the payee's balance in its currency is not zero.",
        ),
    ]
}

fn wallet_routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/wallets", wallets::provide)
            .tag("Wallets")
            .summary("Provide a wallet")
            .describe("A payee has one wallet for each currency; one that is there is answered.")
            .idempotent()
            .body::<wallets::WalletBody>()
            .answer::<wallets::WalletsProvided>(201, "The wallet, made now.")
            .answer::<wallets::WalletsProvided>(200, "The wallet that was there, or a replay.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "No such payee.")
            .refuses(409, "The payee is archived, or the key was used for a different request."),
        Route::get("/payments-api/v1/wallets", wallets::list)
            .tag("Wallets")
            .summary("List wallets")
            .query_id("payeeId", "Only those of this payee.")
            .paged("beforeId")
            .answer::<wallets::WalletList>(200, "Newest first, the seller's own too."),
        Route::get("/payments-api/v1/wallets/{walletId}", wallets::get)
            .tag("Wallets")
            .summary("Read a wallet")
            .path_id("walletId")
            .answer::<wallets::WalletView>(200, "The wallet with its balances."),
        Route::get("/payments-api/v1/wallets/{walletId}/entries", wallets::entries)
            .tag("Wallets")
            .summary("List the movements of a wallet")
            .describe("In double entry: the postings of each movement sum to zero.")
            .path_id("walletId")
            .paged("beforeId")
            .answer::<wallets::EntryPage>(200, "Newest first."),
    ]
}

fn payout_routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/payouts", payouts::create)
            .tag("Payouts")
            .summary("Pay out from a wallet")
            .describe(
                "The money is reserved at once and comes back when the payout fails. A `main` \
                 wallet is paid out to a payout method of the seller, which nobody verifies. Both \
                 ways of making a payout share one space of keys. With `webhookUrl` each later \
                 move is posted there as `PayoutUpdated`, signed with `webhookSecret`, which is \
                 shown once.",
            )
            .body::<payouts::PayoutBody>()
            .answer::<payouts::PayoutView>(201, "The payout.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "No such wallet, or no such method of its payee, or of the seller.")
            .refuses(
                409,
                "The balance is insufficient, the payee is not approved or archived, or the key \
                 was used: by the same request, then with `payoutId` and `status`, or by another.",
            ),
        Route::post("/payments-api/v1/payees/{payeeId}/payouts", payouts::create_for_payee)
            .tag("Payouts")
            .summary("Pay a payee out")
            .describe("As paying out from the payee's wallet in the currency of the method.")
            .path_id("payeeId")
            .body::<payouts::PayeePayoutBody>()
            .answer::<payouts::PayoutView>(201, "The payout.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "No such payee, or no such method of the payee.")
            .refuses(
                409,
                "The balance is insufficient, the payee is not approved or archived, or the key \
                 was used: by the same request, then with `payoutId` and `status`, or by another.",
            ),
        Route::get("/payments-api/v1/payouts", payouts::list)
            .tag("Payouts")
            .summary("List payouts")
            .query_id("payeeId", "Only those to this payee.")
            .query_id("walletId", "Only those from this wallet.")
            .query_one_of("status", STATUSES, "Only those that stand so.")
            .paged("beforeId")
            .answer::<payouts::PayoutList>(200, "Newest first."),
        Route::get("/payments-api/v1/payouts/{payoutId}", payouts::get)
            .tag("Payouts")
            .summary("Read a payout")
            .path_id("payoutId")
            .answer::<payouts::PayoutView>(200, "The payout."),
    ]
}

fn operator_routes() -> Vec<Route> {
    vec![
        Route::post("/backoffice/v1/payees/{payeeId}/verification", verifying::verify)
            .summary("Decide on the verification of a payee")
            .describe("The same decision again changes nothing.")
            .path_id("payeeId")
            .body::<verifying::DecisionBody>()
            .answer::<payees::PayeeView>(200, "The payee as it is now.")
            .refuses(400, "No such decision.")
            .refuses(409, "The payee is archived."),
        Route::post("/backoffice/v1/payouts/{payoutId}/approve", settling::approve)
            .summary("Approve a payout")
            .path_id("payoutId")
            .answer::<payouts::PayoutView>(200, "The payout, on its way.")
            .refuses(409, "The payout is not awaiting approval."),
        Route::post("/backoffice/v1/payouts/{payoutId}/reject", settling::reject)
            .summary("Reject a payout")
            .path_id("payoutId")
            .answer::<payouts::PayoutView>(200, "The payout, cancelled; its money is back.")
            .refuses(409, "The payout is not awaiting approval."),
        Route::post("/backoffice/v1/payouts/{payoutId}/complete", settling::complete)
            .summary("Complete a payout")
            .path_id("payoutId")
            .body_optional::<settling::CompleteBody>()
            .answer::<payouts::PayoutView>(200, "The payout, completed.")
            .refuses(400, "The reference is too long.")
            .refuses(409, "The payout is not on its way."),
        Route::post("/backoffice/v1/payouts/{payoutId}/fail", settling::fail)
            .summary("Fail a payout")
            .describe("Also for a completed payout that the bank has sent back.")
            .path_id("payoutId")
            .body_optional::<settling::FailBody>()
            .answer::<payouts::PayoutView>(200, "The payout, failed; its money is back.")
            .refuses(400, "The code is too long.")
            .refuses(409, "The payout is not on its way."),
    ]
}
