//! Money that sellers bring in themselves, and the tokens of their buyers' devices.

use crate::api::backoffice::{bank_deposits, safeguarding};
use crate::api::payments::{device, topups};
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    [topup_routes(), device_routes(), operator_routes()].concat()
}

fn topup_routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/topup-invoices", topups::create)
            .tag("Top-ups")
            .summary("Ask for a top-up invoice")
            .describe(
                "An invoice over money of your own, to be sent to your safeguarding account; what \
                 comes is credited to your main wallet, also when it is more than was asked for. \
                 Its number is of the one series of all your invoices. It is `overdue` when your \
                 days of grace (7 unless agreed otherwise) after `dueAt` are over, and `expired` \
                 30 days after issue.",
            )
            .idempotent()
            .body::<topups::TopupBody>()
            .answer::<topups::TopupView>(201, "The invoice.")
            .answer::<topups::TopupView>(200, "A replay: the invoice as it is now.")
            .refuses(
                400,
                "A field is missing or wrong, or you have no active safeguarding account or no \
                 main wallet of the currency.",
            )
            .refuses(409, "The key was used for a different request."),
        Route::get("/payments-api/v1/topup-invoices", topups::list)
            .tag("Top-ups")
            .summary("List top-up invoices")
            .paged("beforeId")
            .answer::<topups::TopupList>(200, "Newest first."),
        Route::get("/payments-api/v1/topup-invoices/{topupInvoiceId}", topups::get)
            .tag("Top-ups")
            .summary("Read a top-up invoice")
            .path_id("topupInvoiceId")
            .answer::<topups::TopupView>(200, "The invoice as it is now."),
    ]
}

fn device_routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/device-intelligence/token", device::create)
            .tag("Device intelligence")
            .summary("Get a device token")
            .describe(
                "Leave `sessionId` out on the first call; state it to refresh the token of that \
                 session.",
            )
            .idempotent()
            .body::<device::DeviceBody>()
            .answer::<device::DeviceToken>(200, "A token; of a replay, for the same session.")
            .refuses(400, "The body is malformed.")
            .refuses(404, "The session is not one of yours.")
            .refuses(409, "The key was used for a different request."),
    ]
}

fn operator_routes() -> Vec<Route> {
    vec![
        Route::put(
            "/backoffice/v1/sellers/{sellerAccountId}/safeguarding/{currency}",
            safeguarding::put,
        )
        .summary("Set a seller's safeguarding account")
        .describe(
            "Where top-ups of this currency are paid to. The seller gets a main wallet of the \
             currency, if it has none. Invoices that were made before keep their account.",
        )
        .path_id("sellerAccountId")
        .path_text("currency", "`EUR`, `GBP` or `USD`.")
        .body::<safeguarding::SafeguardingBody>()
        .answer::<safeguarding::SafeguardingView>(200, "The account as it is now.")
        .refuses(400, "A field is missing or wrong.")
        .refuses(404, "No such seller."),
        Route::post("/backoffice/v1/bank-deposits", bank_deposits::create)
            .summary("Match a bank deposit")
            .describe(
                "Credits what came for a top-up invoice to the seller's main wallet. An invoice \
                 takes each `reference` once: the same deposit again changes nothing.",
            )
            .body::<bank_deposits::DepositBody>()
            .answer::<bank_deposits::DepositView>(200, "The deposit, and how its invoice stands.")
            .refuses(400, "A field is missing or wrong, or there is no such seller or invoice.")
            .refuses(409, "The reference was used for another amount."),
    ]
}
