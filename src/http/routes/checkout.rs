//! Hosted checkout: sessions and how they stand.

use crate::api::payments::checkout;
use crate::http::route::{Route, Surface};

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/checkout", checkout::create)
            .tag("Checkout")
            .summary("Open a hosted checkout")
            .describe(
                "Answers the page to send the buyer to. The session is one payment, to be read \
                 under its `externalOrderRef` from now on; the buyer may try up to ten times in 24 \
                 hours. The `Idempotency-Key` is checked before the caller is.",
            )
            .idempotent_first()
            .body::<checkout::CheckoutBody>()
            .answer::<checkout::CheckoutView>(201, "The session.")
            .answer::<checkout::CheckoutView>(200, "A replay: the same session.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "A payee of `orderData` is unknown.")
            .refuses(
                409,
                "The `externalOrderRef` is already used, a payee is archived, or the key was used \
                 for a different request.",
            ),
        Route::get("/payments-api/v1/checkout/{session_id}/events", checkout::events)
            .on(Surface::Page)
            .open()
            .tag("Checkout")
            .summary("Follow a hosted checkout")
            .describe(
                "Server-sent events, for the buyer's browser: an event `status` at once and at \
                 each change, with a JSON object as data (`sessionId`, `status`, `paymentId`, \
                 `failureCode` if it or the last attempt failed, `requiresAction`, `attempts`). A \
                 comment line every 15 seconds keeps the connection. The stream ends at a \
                 terminal state. No key is needed: the session id is the capability.",
            )
            .path_text("session_id", "Id of the session.")
            .answer_as(200, "text/event-stream", "The events.")
            .refuses(404, "No such session."),
    ]
}
