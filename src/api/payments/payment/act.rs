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
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

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

pub async fn finalize(app: Arc<App>, request: Request) -> ApiResult {
    let body: FinalizeBody = request.json()?;
    let reference = required("externalOrderRef", body.external_order_ref.as_deref())?;
    let payment = load_payment(&app, &request, reference)?;
    let minor = minor(body.amount.as_ref(), &payment)?;
    let claim = idempotency_key::claim(&request, "finalize-payment", &[], payment.id.0);
    if idempotency_key::used(&app, &request, &claim).await?.is_some() {
        return repeated(&app, &request, &payment, failure::begins).await;
    }
    match app.payments.finalize(payment.seller, payment.id, minor, claim).await {
        Err(AskError::Refused(refusal))
            if refusal == Refusal::from(PaymentRefusal::NotApproved) =>
        {
            Err(failure::refused(&payment))
        }
        asked => match spent(asked)? {
            Some(payment) => acted(&app, &request, &payment, failure::of_payment(&payment)),
            None => repeated(&app, &request, &payment, failure::begins).await,
        },
    }
}

pub async fn capture(app: Arc<App>, request: Request) -> ApiResult {
    let payment = payment_of_path(&app, &request)?;
    let body: CaptureBody = request.json()?;
    let minor = minor(body.amount.as_ref(), &payment)?;
    let last = body.last.unwrap_or(false);
    let claim = idempotency_key::claim(&request, "capture", &path(&payment), payment.id.0);
    let own = |_: &Payment, kind| kind == CallKind::Capture;
    if idempotency_key::used(&app, &request, &claim).await?.is_some() {
        return repeated(&app, &request, &payment, own).await;
    }
    match spent(app.payments.capture(payment.seller, payment.id, minor, last, claim).await)? {
        Some(payment) => acted(&app, &request, &payment, failure::of_capture(&payment)),
        None => repeated(&app, &request, &payment, own).await,
    }
}

pub async fn cancel(app: Arc<App>, request: Request) -> ApiResult {
    let payment = payment_of_path(&app, &request)?;
    let claim = idempotency_key::claim(&request, "cancel", &path(&payment), payment.id.0);
    let own = |_: &Payment, kind| kind == CallKind::Cancel;
    if idempotency_key::used(&app, &request, &claim).await?.is_some() {
        return repeated(&app, &request, &payment, own).await;
    }
    // Cancelled first: a payment that is so already is never cancelled twice, whatever becomes of
    // the key.
    let cancelled = app.payments.cancel(payment.seller, payment.id).await?;
    app.sellers.use_key(request.seller_id(), claim).await?;
    acted(&app, &request, &cancelled, failure::of_doubt(&cancelled))
}

pub(super) fn payment_of_path(app: &App, request: &Request) -> Result<Payment, ApiError> {
    load_payment(app, request, &request.text_param("externalOrderRef")?)
}

/// What stands in the path beside the endpoint.
pub(super) fn path(payment: &Payment) -> [(&'static str, String); 1] {
    [("externalOrderRef", payment.reference.clone())]
}

fn acted(app: &App, request: &Request, payment: &Payment, error: Option<ApiError>) -> ApiResult {
    match error {
        Some(error) => Err(error),
        None => Ok(Response::ok(&shown(app, request, payment)?)),
    }
}

/// Answers the payment as it is now to a request that was carried out before.
async fn repeated(
    app: &App,
    request: &Request,
    payment: &Payment,
    own: impl FnOnce(&Payment, CallKind) -> bool,
) -> ApiResult {
    let payment = app.payments.once_answered(payment.seller, payment.id).await?;
    failure::known(&payment, |request| own(&payment, request.kind))?;
    Ok(Response::replayed(&shown(app, request, &payment)?))
}

/// The payment, if the request was carried out now; none when it was before.
fn spent(asked: Result<Once<Payment>, AskError>) -> Result<Option<Payment>, ApiError> {
    Ok(match asked? {
        Once::Made(payment) => Some(payment),
        Once::Before => None,
    })
}
