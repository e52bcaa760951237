//! Terminals, and what can be paid with through them.

use crate::api::backoffice::terminals;
use crate::api::payments::payment_methods;
use crate::http::route::Route;

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/payments-api/v1/payment-methods", payment_methods::list)
            .tag("Payments")
            .summary("List what buyers can pay with")
            .describe(
                "As your terminals allow in your account's mode: a row for each method and \
                 currency. Local methods are there only for the currencies and countries in which \
                 they are known.",
            )
            .answer::<payment_methods::PaymentMethods>(200, "The rails and methods."),
        Route::get("/backoffice/v1/sellers/{sellerAccountId}/terminals", terminals::list)
            .summary("List the terminals of a seller")
            .path_id("sellerAccountId")
            .answer::<terminals::TerminalList>(200, "All of them, oldest first."),
        Route::post("/backoffice/v1/sellers/{sellerAccountId}/terminals", terminals::create)
            .summary("Make a terminal")
            .describe(
                "A payment goes through the oldest active terminal of the account's mode that \
                 takes its method, currency and country; without one it fails with 1003.",
            )
            .path_id("sellerAccountId")
            .body::<terminals::TerminalBody>()
            .answer::<terminals::TerminalView>(201, "The terminal, without its secret key.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(409, "The seller has as many terminals as it may have."),
        Route::put(
            "/backoffice/v1/sellers/{sellerAccountId}/terminals/{terminalId}",
            terminals::put,
        )
        .summary("Replace a terminal")
        .describe(
            "As making one. Payments that went through it before are captured, refunded and \
             cancelled as it says from now on.",
        )
        .path_id("sellerAccountId")
        .path_id("terminalId")
        .body::<terminals::TerminalBody>()
        .answer::<terminals::TerminalView>(200, "The terminal as it is now.")
        .refuses(
            400,
            "A field is missing or wrong, or the `baseUrl` is another one and there is no \
             `secretKey` for it.",
        ),
    ]
}
