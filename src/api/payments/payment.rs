mod act;
mod body;
mod failure;
mod initialize;
mod refund;
mod view;

use std::sync::Arc;

use actors::domain::payments::payment::{Payment, PaymentStatus, Refund};
use actors::query;

pub use act::{CaptureBody, FinalizeBody, cancel, capture, finalize};
pub use body::InitiationBody;
pub use failure::{FailureView, NotNowView};
pub use initialize::initialize;
pub use refund::{RefundBody, refund};
pub use view::{CardView, PaymentList, PaymentView, RefundView};

use super::major::Major;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::route::document::{Part, Value};
use crate::http::{ApiError, ApiResult, Response};

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let status = request.query_as("status", "a payment status", PaymentStatus::parse)?;
    let found = app.blocking(move |store| query::payments(store, seller, status, paging)).await?;
    let view = |(payment, refunds): (Payment, Vec<Refund>)| {
        PaymentView::new(&app, &payment, &refunds, request.now)
    };
    Ok(Response::ok(&PaymentList::of(found, view)))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let payment = act::payment_of_path(&app, &request)?;
    Ok(Response::ok(&shown(&app, &request, &payment)?))
}

/// The payment with its refunds, as it is answered.
pub fn shown(app: &App, request: &Request, payment: &Payment) -> Result<PaymentView, ApiError> {
    let refunds = query::refunds(&app.store, payment)?;
    Ok(PaymentView::new(app, payment, &refunds, request.now))
}

fn load_payment(app: &App, request: &Request, reference: &str) -> Result<Payment, ApiError> {
    let found = app.payments.by_reference(request.seller_id(), reference)?;
    found.ok_or_else(ApiError::missing)
}

fn required<'a>(field: &str, value: Option<&'a str>) -> Result<&'a str, ApiError> {
    let value = value.filter(|value| !value.is_empty());
    value.ok_or_else(|| ApiError::invalid(format!("{field} is required")))
}

/// The minor units of an amount of the payment's currency, if one was stated.
fn minor(amount: Option<&Major>, payment: &Payment) -> Result<Option<i64>, ApiError> {
    let minor = amount.map(|amount| amount.minor(payment.amount.currency)).transpose();
    minor.map_err(|refusal| ApiError::invalid(refusal.to_string()))
}

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

/// What the header `Simulator` makes of a demo payment.
const FORCED: &[&str] = &[
    "force_failure=1001",
    "force_failure=1002",
    "force_failure=1003",
    "force_failure=1004",
    "force_failure=1005",
    "force_failure=1006",
    "force_failure=1007",
    "force_failure=2001",
    "force_failure=2002",
    "force_failure=2003",
    "force_failure=2004",
    "force_failure=2005",
    "force_failure=3001",
    "force_failure=3002",
    "force_failure=4001",
    "force_failure=5001",
];
/// And of the refund of one.
const FORCED_REFUNDS: &[&str] = &["force_failure=2004", "force_refund=cancelled"];

const REFERENCE: &str = "Your `externalOrderRef`.";

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/initialize-payment", initialize).named("initializePayment")
            .summary("Initiate a payment")
            .describe(
                "Without `skip3DS` a card payment waits for the buyer at `actionUrl`, and then for \
                 `finalize-payment`. Local methods wait for the buyer at `actionUrl`, or with \
                 `paymentInstructions`, and need no finalizing; they demand a way back, by \
                 `returnLinks`, `returnUrl` or the links of your account. Cards go without one: \
                 the buyer then comes back to a page of ours.\n\n\
                 A replay (same key and intent) answers the payment as it is now, with `200`; but \
                 one that failed with 1006, 2002 or 2003 is tried again under the same provider \
                 key, never charged twice, and answered `202`. After a `502` with 2002 or 2003 \
                 whose outcome is not known the payment stays `provider_pending`, and replays \
                 answer `503` until it is.\n\n\
                 Demo accounts may send `Simulator: force_failure=<code>` with any failure code.",
            )
            .idempotent()
            .asks(
                Part::OptionalHeader,
                "Simulator",
                Value::OneOf(FORCED),
                "How a demo payment fails; not read on live accounts.",
            )
            .body::<InitiationBody>()
            .answer::<PaymentView>(
                202,
                "The payment, which may have failed before any provider was asked (1001, 1002, \
                 1004, 1005, 1007).",
            )
            .answer::<PaymentView>(200, "A replay: the payment as it is now.")
            .refuses(400, "A field is missing or wrong, or the method is not known there.")
            .refuses(404, "No such payee in `payeeDistribution`.")
            .refuses(
                409,
                "The key was used with another field, a payee is archived, or the payment waits \
                 for a reconciliation by hand.",
            )
            .answer::<FailureView>(
                502,
                "No terminal (1003), or the provider declined (2001, 2005, 3002), failed (2002, \
                 2003, 3001), or knows the reference (2002).",
            )
            .answer::<NotNowView>(
                503,
                "Interrupted before any provider was asked (1006), or the outcome of the first \
                 request is not known yet: send the same request again after `Retry-After`.",
            ),
        Route::post("/finalize-payment", finalize).named("finalizePayment")
            .summary("Finalize a card payment")
            .describe(
                "After the buyer's approval; the buyer of a live payment need not have come back \
                 from the bank. Repeated, it answers the payment.",
            )
            .idempotent()
            .body::<FinalizeBody>()
            .answer::<PaymentView>(200, "The payment, authorized or completed.")
            .refuses(400, "A field is wrong; `amount` cannot be stated with manual capture.")
            .refuses(404, "No such payment.")
            .refuses(
                409,
                "The payment is over, is no card payment, is a live one of which a part is to be \
                 taken, or the key was used for a different request.",
            )
            .answer::<FailureView>(
                502,
                "The buyer has not approved yet, and the payment stays pending; or the provider \
                 declined or failed.",
            )
            .answer::<NotNowView>(
                503,
                "Interrupted before the provider was asked (1006), or the outcome of the first \
                 request is not known yet.",
            ),
        Route::get("/payments", list).named("listPayments")
            .summary("List payments")
            .query_one_of("status", STATUSES, "Only those that stand so.")
            .paged("beforeId")
            .answer::<PaymentList>(200, "Newest first."),
        Route::get("/payments/{externalOrderRef}", get).named("getPayment")
            .summary("Read a payment")
            .path_text("externalOrderRef", REFERENCE)
            .answer::<PaymentView>(200, "The payment.")
            .refuses(404, "No such payment."),
        Route::post("/payments/{externalOrderRef}/capture", capture).named("capturePayment")
            .summary("Capture an authorized payment")
            .describe(
                "May be repeated while the sum stays within the authorized amount and the payment \
                 has not settled; what is left then is released, at once with `final`. Where the \
                 processor captures once, a part has to be `final`. A capture that failed (3001) \
                 leaves the payment authorized, and its key can be used again: `retry` says \
                 whether the same request can succeed.\n\n\
                 Captures, refunds, finalizes and cancels of one payment wait for each other, and \
                 are then judged; after 30 seconds the answer is `409 the payment is being \
                 processed`.",
            )
            .path_text("externalOrderRef", REFERENCE)
            .idempotent()
            .body_optional::<CaptureBody>()
            .answer::<PaymentView>(200, "The payment as it is now.")
            .refuses(400, "A field is wrong.")
            .refuses(404, "No such payment.")
            .refuses(409, "It cannot be captured, or the key was used for a different request.")
            .answer::<FailureView>(502, "The provider failed (3001, 2002, 2003).")
            .refuses(503, "The outcome of the first request is not known yet."),
        Route::post("/payments/{externalOrderRef}/refund", refund).named("refundPayment")
            .summary("Refund a payment")
            .describe(
                "One refund at a time. A refund that came too early (2004) runs again under its \
                 `refundId` when its request is repeated with the same key, unless another is under \
                 way or has taken the money; one that failed otherwise needs a new key. Demo \
                 accounts may send `Simulator: force_failure=2004` or \
                 `Simulator: force_refund=cancelled`.",
            )
            .path_text("externalOrderRef", REFERENCE)
            .idempotent()
            .asks(
                Part::OptionalHeader,
                "Simulator",
                Value::OneOf(FORCED_REFUNDS),
                "What becomes of the refund of a demo payment; not read on live accounts.",
            )
            .body_optional::<RefundBody>()
            .answer::<RefundView>(202, "The refund, on its way or failed.")
            .answer::<RefundView>(200, "A replay: the refund as it is now.")
            .refuses(400, "A field is wrong.")
            .refuses(404, "No such payment.")
            .refuses(409, "It cannot be refunded, or the key was used for a different request.")
            .answer::<FailureView>(502, "The provider failed (2002, 2003).")
            .refuses(503, "The outcome of the first request is not known yet."),
        Route::post("/payments/{externalOrderRef}/cancel", cancel).named("cancelPayment")
            .summary("Cancel a payment")
            .describe(
                "Gives up a pending payment, or lets go of what is held. It waits for what is under \
                 way, as a capture does.",
            )
            .path_text("externalOrderRef", REFERENCE)
            .idempotent()
            .answer::<PaymentView>(200, "The payment, cancelled.")
            .refuses(404, "No such payment.")
            .refuses(
                409,
                "It is neither pending nor authorized, perhaps because the buyer was faster; it is \
                 being processed; or the key was used for a different request.",
            )
            .answer::<FailureView>(502, "The provider failed (2002, 2003).")
            .refuses(503, "The outcome of the first request is not known yet."),
    ]
}
