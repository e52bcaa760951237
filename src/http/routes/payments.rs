//! Payments: initiated, finalized, captured, refunded, cancelled, read; and the operator's part
//! in them.

use crate::api::backoffice::payments as resolving;
use crate::api::payments::payment;
use crate::http::route::Route;

const STATUSES: &[&str] = &[
    "provider_pending",
    "authorized",
    "provider_completed",
    "settled",
    "deposit_confirmed",
    "failed",
    "cancelled",
    "refund_pending",
    "refund_failed",
    "refund_cancelled",
    "refunded",
];

const REFERENCE: &str = "Your `externalOrderRef`, percent-encoded.";

/// The routes of this part.
pub(super) fn routes() -> Vec<Route> {
    [beginning_routes(), reading_routes(), acting_routes(), operator_routes()].concat()
}

fn beginning_routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/initialize-payment", payment::initialize)
            .tag("Payments")
            .summary("Initiate a payment")
            .describe(
                "Without `skip3DS` a card payment waits for the buyer at `actionUrl`, and then for \
                 `finalize-payment`. Local methods wait for the buyer at `actionUrl`, or with \
                 `paymentInstructions`, and need no finalizing; they demand a way back, by \
                 `returnLinks`, `returnUrl` or the links of your account. Cards go without one: \
                 the buyer then comes back to a page of ours.\n\n\
                 A replay (same key and intent) answers the payment as it is now, with `200`; but \
                 one that failed with `retry` `safe` is tried again under the same provider key, \
                 never charged twice, and answered `202`. After a `502` with 2002 or 2003 whose \
                 outcome is not known the payment stays `provider_pending`, and replays answer \
                 `503` until it is.\n\n\
                 Demo accounts may send `Simulator: force_failure=<code>` with any failure code.",
            )
            .idempotent()
            .body::<payment::InitiationBody>()
            .answer::<payment::PaymentView>(
                202,
                "The payment, which may have failed before any provider was asked (1001, 1002, \
                 1004, 1005, 1007).",
            )
            .answer::<payment::PaymentView>(200, "A replay: the payment as it is now.")
            .refuses(400, "A field is missing or wrong, or the method is not known there.")
            .refuses(404, "No such payee in `payeeDistribution`.")
            .refuses(
                409,
                "The key was used with another field, a payee is archived, or the payment waits \
                 for a reconciliation by hand.",
            )
            .answer::<payment::FailureView>(
                502,
                "No terminal (1003), or the provider declined (2001, 2005, 3002), failed (2002, \
                 2003, 3001), or knows the reference (2002).",
            )
            .refuses(
                503,
                "Interrupted before any provider was asked (1006), or the outcome of the first \
                 request is not known yet: send the same request again after `Retry-After`.",
            ),
        Route::post("/payments-api/v1/finalize-payment", payment::finalize)
            .tag("Payments")
            .summary("Finalize a card payment")
            .describe("After the buyer's approval. Repeated, it answers the payment.")
            .idempotent()
            .body::<payment::FinalizeBody>()
            .answer::<payment::PaymentView>(200, "The payment, authorized or completed.")
            .refuses(400, "A field is wrong; `amount` cannot be stated with manual capture.")
            .refuses(404, "No such payment.")
            .refuses(409, "The payment is over, or is no card payment.")
            .answer::<payment::FailureView>(
                502,
                "The buyer has not approved yet, and the payment stays pending; or the provider \
                 declined or failed.",
            )
            .refuses(503, "The outcome of the first request is not known yet."),
    ]
}

fn reading_routes() -> Vec<Route> {
    vec![
        Route::get("/payments-api/v1/payments", payment::list)
            .tag("Payments")
            .summary("List payments")
            .query_one_of("status", STATUSES, "Only those that stand so.")
            .paged("beforeId")
            .answer::<payment::PaymentList>(200, "Newest first."),
        Route::get("/payments-api/v1/payments/{externalOrderRef}", payment::get)
            .tag("Payments")
            .summary("Read a payment")
            .path_text("externalOrderRef", REFERENCE)
            .answer::<payment::PaymentView>(200, "The payment.")
            .refuses(404, "No such payment."),
    ]
}

fn acting_routes() -> Vec<Route> {
    vec![
        Route::post("/payments-api/v1/payments/{externalOrderRef}/capture", payment::capture)
            .tag("Payments")
            .summary("Capture an authorized payment")
            .describe(
                "May be repeated while the sum stays within the authorized amount and the payment \
                 has not settled; what is left then is released, at once with `final`. A capture \
                 that failed (3001) leaves the payment authorized, and its key can be used again.",
            )
            .path_text("externalOrderRef", REFERENCE)
            .idempotent()
            .body_optional::<payment::CaptureBody>()
            .answer::<payment::PaymentView>(200, "The payment as it is now.")
            .refuses(400, "A field is wrong.")
            .refuses(404, "No such payment.")
            .refuses(409, "It cannot be captured, or the key was used for a different request.")
            .answer::<payment::FailureView>(502, "The provider failed (3001, 2002, 2003).")
            .refuses(503, "The outcome of the first request is not known yet."),
        Route::post("/payments-api/v1/payments/{externalOrderRef}/refund", payment::refund)
            .tag("Payments")
            .summary("Refund a payment")
            .describe(
                "One refund at a time. A refund that came too early (2004) runs again under its \
                 `refundId` when its request is repeated with the same key; another that failed \
                 needs a new key. Demo accounts may send `Simulator: force_failure=2004` or \
                 `Simulator: force_refund=cancelled`.",
            )
            .path_text("externalOrderRef", REFERENCE)
            .idempotent()
            .body_optional::<payment::RefundBody>()
            .answer::<payment::RefundView>(202, "The refund, on its way or failed.")
            .answer::<payment::RefundView>(200, "A replay: the refund as it is now.")
            .refuses(400, "A field is wrong.")
            .refuses(404, "No such payment.")
            .refuses(409, "It cannot be refunded, or the key was used for a different request.")
            .answer::<payment::FailureView>(502, "The provider failed (2002, 2003).")
            .refuses(503, "The outcome of the first request is not known yet."),
        Route::post("/payments-api/v1/payments/{externalOrderRef}/cancel", payment::cancel)
            .tag("Payments")
            .summary("Cancel a payment")
            .describe("Gives up a pending payment, or lets go of what is held.")
            .path_text("externalOrderRef", REFERENCE)
            .idempotent()
            .answer::<payment::PaymentView>(200, "The payment, cancelled.")
            .refuses(404, "No such payment.")
            .refuses(409, "It is neither pending nor authorized, or is being processed.")
            .answer::<payment::FailureView>(502, "The provider failed (2002, 2003).")
            .refuses(503, "The outcome of the first request is not known yet."),
    ]
}

fn operator_routes() -> Vec<Route> {
    vec![
        Route::post("/backoffice/v1/payments/{externalOrderRef}/resolve", resolving::resolve)
            .summary("Say how a provider call ended whose outcome is not known")
            .describe(
                "For payments and refunds that wait for a reconciliation. What follows from the \
                 outcome follows now, the capture of what is held for one.",
            )
            .path_text("externalOrderRef", "The seller's reference, percent-encoded.")
            .body::<resolving::ResolveBody>()
            .answer::<payment::PaymentView>(200, "The payment as it is now.")
            .refuses(400, "A field is missing, or the call cannot have ended so.")
            .refuses(404, "No such payment.")
            .refuses(409, "The payment waits for no reconciliation."),
    ]
}
