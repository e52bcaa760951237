//! Payments in the operator's hands: what their processor said, and what nobody knew.

use std::sync::Arc;

use actors::domain::ids::SellerId;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::payment::{
    CallKind, CallState, Payment, ProviderCall, ProviderOutcome,
};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::payments::payment::{PaymentView, shown};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What was found out about the call that is open.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResolveBody {
    /// Whose payment it is.
    #[schema(required)]
    seller_account_id: Option<u64>,
    /// Of a beginning: `completed`, `authorized`, `failed` or `cancelled`; of a capture:
    /// `completed` or `failed`; of a cancellation: `cancelled` or `completed`; of a refund:
    /// `refunded`, `failed` or `cancelled`.
    #[schema(required)]
    outcome: Option<String>,
    /// What the processor calls the payment, or the refund. Without it the name that is known
    /// stays, or else our own key does; a payment that the processor knows by another name can
    /// then not be captured or refunded here.
    #[schema(max_length = 255)]
    provider_reference: Option<String>,
}

/// A payment as the operator reads it.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperatorPaymentView {
    #[serde(flatten)]
    payment: PaymentView,
    /// How the processor refused what was asked last; the seller is not shown its words.
    processor_refusal: Option<RefusalView>,
}

/// A certain refusal in the processor's own words.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
pub struct RefusalView {
    /// Its HTTP status.
    status: u16,
    code: Option<String>,
    message: Option<String>,
}

/// The longest name of a processor for something, in characters.
const MAX_REFERENCE: usize = 255;

pub async fn resolve(app: Arc<App>, call: Request) -> ApiResult {
    let body: ResolveBody = call.json()?;
    let required = |field: &str| ApiError::invalid(format!("{field} is required"));
    let seller = body.seller_account_id.ok_or_else(|| required("sellerAccountId"))?;
    let word = body.outcome.as_deref().filter(|word| !word.is_empty());
    let word = word.ok_or_else(|| required("outcome"))?;
    let named = body.provider_reference.filter(|name| !name.is_empty());
    if named.as_ref().is_some_and(|name| name.chars().count() > MAX_REFERENCE) {
        let text = format!("providerReference must have at most {MAX_REFERENCE} characters");
        return Err(ApiError::invalid(text));
    }
    let payment = load(&app, &call, SellerId(seller))?;
    let open = payment
        .call
        .as_ref()
        .filter(|call| is_open(call))
        .ok_or_else(|| ApiError::conflict("the payment does not wait for a reconciliation"))?;
    let outcome = outcome(&payment, open, word, named)
        .ok_or_else(|| ApiError::invalid(format!("outcome must be {}", words(open.kind))))?;
    let resolved = app.payments.resolve(payment.seller, payment.id, outcome).await;
    Ok(Response::ok(&view(&app, &call, &resolved?)?))
}

pub async fn get(app: Arc<App>, call: Request) -> ApiResult {
    let seller = call.query_id("sellerAccountId", SellerId)?;
    let seller = seller.ok_or_else(|| ApiError::invalid("sellerAccountId is required"))?;
    let payment = load(&app, &call, seller)?;
    Ok(Response::ok(&view(&app, &call, &payment)?))
}

fn load(app: &App, call: &Request, seller: SellerId) -> Result<Payment, ApiError> {
    let reference = call.text_param("externalOrderRef")?;
    app.payments.by_reference(seller, &reference)?.ok_or_else(ApiError::missing)
}

fn view(app: &App, call: &Request, payment: &Payment) -> Result<OperatorPaymentView, ApiError> {
    let refusal = payment.refusal.clone().map(|refusal| RefusalView {
        status: refusal.status,
        code: refusal.code,
        message: refusal.text,
    });
    Ok(OperatorPaymentView { payment: shown(app, call, payment)?, processor_refusal: refusal })
}

/// Whether a person may say how a call ended: not while it is being made.
fn is_open(call: &ProviderCall) -> bool {
    matches!(call.state, CallState::Unknown | CallState::Manual | CallState::Working)
}

/// The outcome that the operator's `word` means for the open call.
fn outcome(
    payment: &Payment,
    call: &ProviderCall,
    word: &str,
    named: Option<String>,
) -> Option<ProviderOutcome> {
    let refund = call.kind == CallKind::Refund;
    let known = payment.processor_token.clone().filter(|_| !refund);
    let token = named.or(known).unwrap_or_else(|| call.key.clone());
    let code = call.doubt.unwrap_or(FailureCode::ProviderError);
    Some(match (call.kind, word) {
        (CallKind::Create | CallKind::Charge | CallKind::Confirm, "completed")
        | (CallKind::Cancel, "completed") => ProviderOutcome::Completed { token },
        (CallKind::Create | CallKind::Charge | CallKind::Confirm, "authorized") => {
            ProviderOutcome::Authorized { token }
        }
        (CallKind::Create | CallKind::Charge | CallKind::Confirm | CallKind::Refund, "failed") => {
            ProviderOutcome::Failed { code, token: None }
        }
        (
            CallKind::Create | CallKind::Charge | CallKind::Confirm | CallKind::Cancel,
            "cancelled",
        ) => ProviderOutcome::Cancelled,
        (CallKind::Capture, "completed") => ProviderOutcome::Captured,
        (CallKind::Capture, "failed") => {
            ProviderOutcome::Failed { code: FailureCode::CaptureFailed, token: None }
        }
        (CallKind::Refund, "refunded") => ProviderOutcome::Refunded { token },
        (CallKind::Refund, "cancelled") => ProviderOutcome::RefundCancelled,
        _ => return None,
    })
}

fn words(kind: CallKind) -> &'static str {
    match kind {
        CallKind::Create | CallKind::Charge | CallKind::Confirm => {
            "completed, authorized, failed or cancelled"
        }
        CallKind::Capture => "completed or failed",
        CallKind::Cancel => "cancelled or completed",
        CallKind::Refund => "refunded, failed or cancelled",
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/payments/{externalOrderRef}", get)
            .named("getSellerPayment")
            .summary("Read a payment of a seller")
            .path_text("externalOrderRef", "The seller's reference, percent-encoded.")
            .query_needed_id("sellerAccountId", "Whose payment it is.")
            .answer::<OperatorPaymentView>(200, "The payment, with what its processor said.")
            .refuses(400, "`sellerAccountId` is missing or wrong.")
            .refuses(404, "No such payment."),
        Route::post("/payments/{externalOrderRef}/resolve", resolve)
            .named("resolvePayment")
            .summary("Say how a provider call ended whose outcome is not known")
            .describe(
                "For payments and refunds that wait for a reconciliation. What follows from the \
                 outcome follows now, the capture of what is held for one.",
            )
            .path_text("externalOrderRef", "The seller's reference, percent-encoded.")
            .body::<ResolveBody>()
            .about_account_in_body()
            .answer::<OperatorPaymentView>(200, "The payment as it is now.")
            .refuses(400, "A field is missing, or the call cannot have ended so.")
            .refuses(404, "No such payment.")
            .refuses(409, "The payment waits for no reconciliation."),
    ]
}
