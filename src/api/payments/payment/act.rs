//! What sellers do with a payment: finalize, capture, cancel.

use std::sync::Arc;

use actors::domain::payments::payment::{CallKind, Payment, PaymentRefusal};
use actors::domain::refusal::Refusal;
use actors::kernel::AskError;
use actors::kernel::Once;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{failure, load_payment, minor, required, shown};
use crate::api::payments::idempotency_key;
use crate::api::payments::major::Major;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

/// A payment to be finalized.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FinalizeBody {
    #[schema(required)]
    external_order_ref: Option<String>,
    /// Without it, all that is authorized. Not with manual capture.
    amount: Option<Major>,
}

/// What is to be captured.
#[derive(Deserialize, ToSchema)]
pub struct CaptureBody {
    /// Without it, all that is left.
    amount: Option<Major>,
    /// Lets go of what is left afterwards, at once.
    #[serde(rename = "final")]
    last: Option<bool>,
}

pub async fn finalize(app: Arc<App>, call: Call) -> Answer {
    let body: FinalizeBody = call.json()?;
    let reference = required("externalOrderRef", body.external_order_ref.as_deref())?;
    let payment = load_payment(&app, &call, reference)?;
    let minor = minor(body.amount.as_ref(), &payment)?;
    let claim = idempotency_key::claim(&call, "finalize-payment", &[], payment.id.0);
    if idempotency_key::used(&app, &call, &claim).await?.is_some() {
        return repeated(&app, &call, &payment, failure::begins).await;
    }
    match app.payments.finalize(payment.seller, payment.id, minor, claim).await {
        Err(AskError::Refused(refusal))
            if refusal == Refusal::from(PaymentRefusal::NotApproved) =>
        {
            Err(failure::refused(&payment))
        }
        asked => match spent(asked)? {
            Some(payment) => acted(&app, &call, &payment, failure::of_payment(&payment)),
            None => repeated(&app, &call, &payment, failure::begins).await,
        },
    }
}

pub async fn capture(app: Arc<App>, call: Call) -> Answer {
    let payment = payment_of_path(&app, &call)?;
    let body: CaptureBody = call.json()?;
    let minor = minor(body.amount.as_ref(), &payment)?;
    let last = body.last.unwrap_or(false);
    let claim = idempotency_key::claim(&call, "capture", &path(&payment), payment.id.0);
    let own = |_: &Payment, kind| kind == CallKind::Capture;
    if idempotency_key::used(&app, &call, &claim).await?.is_some() {
        return repeated(&app, &call, &payment, own).await;
    }
    match spent(app.payments.capture(payment.seller, payment.id, minor, last, claim).await)? {
        Some(payment) => acted(&app, &call, &payment, failure::of_capture(&payment)),
        None => repeated(&app, &call, &payment, own).await,
    }
}

pub async fn cancel(app: Arc<App>, call: Call) -> Answer {
    let payment = payment_of_path(&app, &call)?;
    let claim = idempotency_key::claim(&call, "cancel", &path(&payment), payment.id.0);
    let own = |_: &Payment, kind| kind == CallKind::Cancel;
    if idempotency_key::used(&app, &call, &claim).await?.is_some() {
        return repeated(&app, &call, &payment, own).await;
    }
    // Cancelled first: a payment that is so already is never cancelled twice, whatever becomes of
    // the key.
    let cancelled = app.payments.cancel(payment.seller, payment.id).await?;
    app.sellers.spend(call.seller_id(), claim).await?;
    acted(&app, &call, &cancelled, failure::of_doubt(&cancelled))
}

/// The payment that the path names.
pub(super) fn payment_of_path(app: &App, call: &Call) -> Result<Payment, Problem> {
    load_payment(app, call, &call.text_param("externalOrderRef")?)
}

/// What stands in the path beside the endpoint.
pub(super) fn path(payment: &Payment) -> [(&'static str, String); 1] {
    [("externalOrderRef", payment.reference.clone())]
}

fn acted(app: &App, call: &Call, payment: &Payment, problem: Option<Problem>) -> Answer {
    match problem {
        Some(problem) => Err(problem),
        None => Ok(Reply::ok(&shown(app, call, payment)?)),
    }
}

/// Answers the payment as it is now to a request that was carried out before.
async fn repeated(
    app: &App,
    call: &Call,
    payment: &Payment,
    own: impl FnOnce(&Payment, CallKind) -> bool,
) -> Answer {
    let payment = app.payments.once_answered(payment.seller, payment.id).await?;
    failure::known(&payment, |call| own(&payment, call.kind))?;
    Ok(Reply::replayed(&shown(app, call, &payment)?))
}

/// The payment, if the request was carried out now; none when it was before.
fn spent(asked: Result<Once<Payment>, AskError>) -> Result<Option<Payment>, Problem> {
    Ok(match asked? {
        Once::Made(payment) => Some(payment),
        Once::Before => None,
    })
}
