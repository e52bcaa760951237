//! What sellers do with a payment: finalize, capture, cancel.

use std::sync::Arc;

use actors::domain::payments::payment::{CallKind, Payment, PaymentRefusal, ProviderCall, Trigger};
use actors::domain::refusal::{Cause, Refusal};
use actors::kernel::{AskError, KeyClaim, Once};
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
    /// Without it, all that is authorized. Not with manual capture. Of a live payment the whole
    /// amount is taken: give a part back by a refund.
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
    let claim = idempotency_key::claim(&app, &request, "finalize-payment", &[], payment.id.0);
    Act::Finalize { minor }.once(&app, &request, &payment, claim).await
}

pub async fn capture(app: Arc<App>, request: Request) -> ApiResult {
    let payment = payment_of_path(&app, &request)?;
    let body: CaptureBody = request.json()?;
    let minor = minor(body.amount.as_ref(), &payment)?;
    let last = body.last.unwrap_or(false);
    let claim = idempotency_key::claim(&app, &request, "capture", &path(&payment), payment.id.0);
    Act::Capture { minor, last }.once(&app, &request, &payment, claim).await
}

pub async fn cancel(app: Arc<App>, request: Request) -> ApiResult {
    let payment = payment_of_path(&app, &request)?;
    let claim = idempotency_key::claim(&app, &request, "cancel", &path(&payment), payment.id.0);
    Act::Cancel.once(&app, &request, &payment, claim).await
}

/// How often a request is judged anew whose key was given back while it waited for it.
const TURNS: usize = 4;

/// What a seller does with a payment, once for the key of the request.
#[derive(Clone, Copy)]
enum Act {
    Finalize { minor: Option<i64> },
    Capture { minor: Option<i64>, last: bool },
    Cancel,
}

impl Act {
    /// Carries the request out, or answers the payment as it is now to one that was carried out
    /// before.
    async fn once(
        self,
        app: &App,
        request: &Request,
        payment: &Payment,
        claim: KeyClaim,
    ) -> ApiResult {
        for _ in 0..TURNS {
            if idempotency_key::used(app, request, &claim).await?.is_some() {
                return self.repeated(app, request, payment, &claim).await;
            }
            if let Once::Made(payment) = self.carry_out(app, payment, claim.clone()).await? {
                return match self.problem(&payment) {
                    Some(problem) => Err(problem),
                    None => Ok(Response::ok(&shown(app, request, &payment)?)),
                };
            }
        }
        Err(ApiError::unanswered())
    }

    async fn carry_out(
        self,
        app: &App,
        payment: &Payment,
        claim: KeyClaim,
    ) -> Result<Once<Payment>, ApiError> {
        let (seller, id) = (payment.seller, payment.id);
        let asked = match self {
            Self::Finalize { minor } => app.payments.finalize(seller, id, minor, claim).await,
            Self::Capture { minor, last } => {
                app.payments.capture(seller, id, minor, last, claim).await
            }
            Self::Cancel => app.payments.cancel(seller, id, claim).await,
        };
        asked.map_err(|error| match error {
            AskError::Refused(refusal) if refusal.cause == Cause::NotApproved => {
                failure::refused(payment)
            }
            error => error.into(),
        })
    }

    /// What is wrong with a payment on which this was just done.
    fn problem(self, payment: &Payment) -> Option<ApiError> {
        match self {
            Self::Finalize { .. } => failure::of_payment(payment)
                .or_else(|| payment.requires_action().then(|| failure::refused(payment))),
            Self::Capture { .. } => failure::of_capture(payment),
            Self::Cancel => failure::of_doubt(payment).or_else(|| not_cancelled(payment)),
        }
    }

    /// Whether an open call to the provider is of this act under the key of the claim.
    fn is_own(self, payment: &Payment, call: &ProviderCall, claim: &KeyClaim) -> bool {
        match self {
            Self::Finalize { .. } => failure::begins(payment, call.kind),
            // There may have been others before.
            Self::Capture { .. } => {
                let spent = call.spent.as_ref();
                call.kind == CallKind::Capture && spent.is_some_and(|spent| spent.key == claim.key)
            }
            Self::Cancel => call.kind == CallKind::Cancel,
        }
    }

    async fn repeated(
        self,
        app: &App,
        request: &Request,
        payment: &Payment,
        claim: &KeyClaim,
    ) -> ApiResult {
        let payment = app.payments.once_answered(payment.seller, payment.id).await?;
        failure::known(&payment, |call| self.is_own(&payment, call, claim))?;
        // What failed meanwhile has given its key back: it is no success that could be replayed.
        if idempotency_key::used(app, request, claim).await?.is_none()
            && let Some(problem) = self.problem(&payment)
        {
            return Err(problem);
        }
        Ok(Response::replayed(&shown(app, request, &payment)?))
    }
}

/// The buyer was faster, as the processor says.
fn not_cancelled(payment: &Payment) -> Option<ApiError> {
    let from = payment.status;
    let refusal = PaymentRefusal::Move { from, trigger: Trigger::Cancel };
    from.is_paid().then(|| Refusal::from(refusal).into())
}

pub(super) fn payment_of_path(app: &App, request: &Request) -> Result<Payment, ApiError> {
    load_payment(app, request, &request.text_param("externalOrderRef")?)
}

/// What stands in the path beside the endpoint.
pub(super) fn path(payment: &Payment) -> [(&'static str, String); 1] {
    [("externalOrderRef", payment.reference.clone())]
}
