//! `POST /payments/{externalOrderRef}/refund`.

use std::sync::Arc;

use actors::domain::ids::RefundId;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::initiation::forced_refund;
use actors::domain::payments::payment::{
    ForcedRefund, Payment, Refund, RefundStatus, refund_reason,
};
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::{Cause, Refusal};
use actors::kernel::{AskError, Once};
use serde::Deserialize;
use utoipa::ToSchema;

use super::act::{path, payment_of_path};
use super::view::RefundView;
use super::{failure, minor};
use crate::api::payments::idempotency_key;
use crate::api::payments::major::Major;
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// What is to be given back.
#[derive(Deserialize, ToSchema)]
pub struct RefundBody {
    /// Without it, all that is left.
    amount: Option<Major>,
    /// Your words; shown in the payment.
    #[schema(max_length = 255)]
    reason: Option<String>,
}

pub async fn refund(app: Arc<App>, request: Request) -> ApiResult {
    let payment = payment_of_path(&app, &request)?;
    let body: RefundBody = request.json()?;
    let minor = minor(body.amount.as_ref(), &payment)?;
    let reason = refund_reason(body.reason).map_err(Refusal::from)?;
    let forced = forced(&request)?;
    let claim = idempotency_key::claim(&app, &request, "refund", &path(&payment), 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return repeated(&app, &payment, RefundId(made), forced).await;
    }
    let (seller, id) = (payment.seller, payment.id);
    let asked = app.payments.refund(seller, id, minor, reason, forced, claim.clone()).await;
    match asked? {
        Once::Made((payment, refund)) => made(&payment, &refund),
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            repeated(&app, &payment, RefundId(made), forced).await
        }
    }
}

/// Answers the refund as it is now; one that came too early is tried again, with what this request
/// forces on it, if it can be.
async fn repeated(
    app: &App,
    payment: &Payment,
    id: RefundId,
    forced: Option<ForcedRefund>,
) -> ApiResult {
    let (payment, row) = as_it_is(app, payment, id).await?;
    let early = row.failure == Some(FailureCode::RefundTooEarly);
    if row.status != RefundStatus::Failed || !early {
        return Ok(Response::replayed(&RefundView::new(&payment, &row)));
    }
    match app.payments.refund_again(payment.seller, payment.id, id, forced).await {
        // Somebody else tries it again or has done so, another refund is under way or has taken what
        // this one was to give back, or the payment has failed since.
        Err(AskError::Refused(refusal)) if refusal.cause == Cause::Overtaken => {
            let (payment, row) = as_it_is(app, &payment, id).await?;
            Ok(Response::replayed(&RefundView::new(&payment, &row)))
        }
        asked => {
            let (payment, row) = asked?;
            made(&payment, &row)
        }
    }
}

/// The refund with its payment, unless nobody knows what became of it.
async fn as_it_is(
    app: &App,
    payment: &Payment,
    id: RefundId,
) -> Result<(Payment, Refund), ApiError> {
    let payment = app.payments.once_answered(payment.seller, payment.id).await?;
    failure::known(&payment, |request| request.refund == Some(id))?;
    let row = app.payments.refund_row(payment.seller, payment.id, id)?;
    Ok((payment, row.ok_or_else(ApiError::missing)?))
}

fn made(payment: &Payment, refund: &Refund) -> ApiResult {
    let doubt = failure::of_doubt(payment).filter(|_| refund.status == RefundStatus::Pending);
    match doubt {
        Some(error) => Err(error),
        None => Ok(Response::accepted(&RefundView::new(payment, refund))),
    }
}

/// What the header `Simulator` forces; live accounts have no simulator.
fn forced(request: &Request) -> Result<Option<ForcedRefund>, ApiError> {
    let demo = request.seller().seller.mode == Mode::Demo;
    let forced = request.header("simulator").filter(|_| demo).map(forced_refund).transpose();
    forced.map_err(|refusal| Refusal::from(refusal).into())
}
