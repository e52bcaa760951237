//! Answers that are no success although there is a payment to be read.

use std::borrow::Cow;

use actors::domain::payments::failure::{FailureCode, FailureStage};
use actors::domain::payments::payment::{
    CallKind, CallState, CaptureMode, Payment, PaymentStatus, ProviderCall,
};
use hyper::StatusCode;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::http::ApiError;

/// Seconds after which an interrupted payment, or one whose outcome is not known yet, may be asked
/// for again.
const WAIT_SECONDS: u32 = 30;

/// The body of such an answer.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FailureView {
    /// What went wrong.
    error: Cow<'static, str>,
    failure_code: u16,
    /// Your `externalOrderRef`.
    payment_id: String,
    /// Where the payment stands; absent when the request has made none.
    status: Option<&'static str>,
    /// `safe`, `fix_first` or `never`.
    retry: &'static str,
    failure_category: &'static str,
    /// Where it stopped.
    failure_stage: &'static str,
    /// The refund whose outcome is not known yet.
    refund_id: Option<u64>,
}

/// Why there is no answer now. Where the payment was interrupted before any provider was asked, all
/// fields are there; while the outcome of an earlier request is not known, and where the server is
/// busy, `error` alone.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes in the API document what several answers have in common")]
pub struct NotNowView {
    /// What is wrong.
    error: String,
    /// 1006.
    failure_code: Option<u16>,
    /// Your `externalOrderRef`.
    payment_id: Option<String>,
    /// Where the payment stands.
    status: Option<PaymentStatus>,
    /// `safe`.
    retry: Option<&'static str>,
    failure_category: Option<&'static str>,
    /// Where it stopped.
    failure_stage: Option<&'static str>,
}

/// What is wrong with a payment that was just begun, tried again or finalized: nobody knows what
/// became of it, or it failed in a way that is no answer to the request. `None` when it is
/// answered as it stands, which may be failed by a decision that was made before the provider was
/// asked.
pub(super) fn of_payment(payment: &Payment) -> Option<ApiError> {
    // What is asked about a later capture or refund is no concern of who begins it.
    let concerns =
        |call: &ProviderCall| begins(payment, call.kind) || call.kind == CallKind::Cancel;
    let doubt = of_doubt(payment).filter(|_| payment.call.as_ref().is_some_and(concerns));
    if doubt.is_some() {
        return doubt;
    }
    let failure = payment.failure.filter(|_| payment.status == PaymentStatus::Failed)?;
    let error: Cow<'static, str> = match failure.code {
        FailureCode::NoTerminal => "no active terminal found for seller account".into(),
        FailureCode::Interrupted => {
            let view = view(payment, failure.code, "the payment was interrupted, try again");
            let problem = ApiError::document(StatusCode::SERVICE_UNAVAILABLE, &view);
            return Some(problem.retry_after(WAIT_SECONDS));
        }
        FailureCode::Declined => "payment declined".into(),
        FailureCode::ProviderError if payment.lacks_address() => REFUSED.into(),
        FailureCode::ProviderError => match &payment.refusal {
            Some(refusal) => returned(refusal.status),
            None => BROKEN.into(),
        },
        FailureCode::ProviderTimeout => TIMED_OUT.into(),
        FailureCode::AddressMismatch => "billing address mismatch".into(),
        FailureCode::AuthenticationRequired => "authentication required".into(),
        FailureCode::CaptureFailed => "capture failed".into(),
        FailureCode::InvalidRequest
        | FailureCode::RiskRejected
        | FailureCode::ComplianceDeclined
        | FailureCode::ComplianceReview
        | FailureCode::CardExpired
        | FailureCode::RefundTooEarly
        | FailureCode::SettlementFailed
        | FailureCode::DepositUnconfirmed => return None,
    };
    Some(ApiError::document(StatusCode::BAD_GATEWAY, &view(payment, failure.code, error)))
}

/// What is wrong with a payment that was just to be captured.
pub(super) fn of_capture(payment: &Payment) -> Option<ApiError> {
    let failed = payment.failure.is_some_and(|failure| failure.code == FailureCode::CaptureFailed);
    let problem = || {
        let view = view(payment, FailureCode::CaptureFailed, "capture failed");
        ApiError::document(StatusCode::BAD_GATEWAY, &view)
    };
    of_doubt(payment).or_else(|| failed.then(problem))
}

/// Nobody knows what became of the call that was just made: the payment, or the refund, stays as it
/// is and is asked about.
pub(super) fn of_doubt(payment: &Payment) -> Option<ApiError> {
    let unknown =
        |call: &&ProviderCall| matches!(call.state, CallState::Unknown | CallState::Manual);
    let call = payment.call.as_ref().filter(unknown)?;
    let code = call.doubt.unwrap_or(FailureCode::ProviderError);
    let error = if code == FailureCode::ProviderTimeout { TIMED_OUT } else { BROKEN };
    let refund_id = call.refund.map(|id| id.0);
    let stage = match call.kind {
        CallKind::Capture => FailureStage::Capture,
        CallKind::Refund => FailureStage::Refund,
        CallKind::Create | CallKind::Charge | CallKind::Confirm | CallKind::Cancel => {
            code.default_stage()
        }
    };
    let view = FailureView { refund_id, failure_stage: stage.name(), ..view(payment, code, error) };
    Some(ApiError::document(StatusCode::BAD_GATEWAY, &view))
}

/// The provider says no to the request as such: it came too early.
pub(super) fn refused(payment: &Payment) -> ApiError {
    ApiError::document(StatusCode::BAD_GATEWAY, &view(payment, FailureCode::ProviderError, REFUSED))
}

/// The reference is another payment's, which this request has left alone.
pub(super) fn reference_used(reference: String) -> ApiError {
    let code = FailureCode::ProviderError;
    let view = FailureView {
        error: returned(409),
        failure_code: code.code(),
        payment_id: reference,
        status: None,
        retry: code.retry().name(),
        failure_category: code.category().name(),
        failure_stage: code.default_stage().name(),
        refund_id: None,
    };
    ApiError::document(StatusCode::BAD_GATEWAY, &view)
}

/// What a replay is answered while the outcome of its call is not known: `503` while Accrue asks
/// after it, `409` when a person has to. `concerns` says which calls are its own.
pub(super) fn known(
    payment: &Payment,
    concerns: impl FnOnce(&ProviderCall) -> bool,
) -> Result<(), ApiError> {
    let call = payment.call.as_ref().filter(|call| concerns(call));
    match call.map(|call| call.state) {
        Some(CallState::Unknown) => {
            let text = "provider create is pending reconciliation";
            Err(ApiError::unavailable(text, WAIT_SECONDS))
        }
        Some(CallState::Manual) => {
            Err(ApiError::conflict("provider create requires manual reconciliation"))
        }
        _ => Ok(()),
    }
}

/// Whether a call belongs to the beginning of a payment.
pub(super) fn begins(payment: &Payment, kind: CallKind) -> bool {
    match kind {
        CallKind::Create | CallKind::Charge | CallKind::Confirm => true,
        CallKind::Capture => payment.capture == CaptureMode::Automatic,
        CallKind::Cancel | CallKind::Refund => false,
    }
}

const REFUSED: &str = "upstream card processor returned 400";
const BROKEN: &str = "upstream card processor returned 500";
const TIMED_OUT: &str = "upstream card processor timed out";

fn returned(status: u16) -> Cow<'static, str> {
    format!("upstream card processor returned {status}").into()
}

fn view(payment: &Payment, code: FailureCode, error: impl Into<Cow<'static, str>>) -> FailureView {
    let stage = payment.failure.filter(|failure| failure.code == code);
    let failed = payment.failure.is_some_and(|failure| failure.code == code);
    let retry = payment.retry_advice().filter(|_| failed).unwrap_or(code.retry());
    FailureView {
        error: error.into(),
        failure_code: code.code(),
        payment_id: payment.reference.clone(),
        status: Some(payment.status.name()),
        retry: retry.name(),
        failure_category: code.category().name(),
        failure_stage: stage.map_or(code.default_stage(), |failure| failure.stage).name(),
        refund_id: None,
    }
}
