//! Payouts as they are answered.

use actors::domain::money::{Currency, major_units};
use actors::domain::payments::payout::Payout;
use actors::domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::payments::payout_methods::DestinationView;

/// A payout.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutView {
    id: u64,
    wallet_id: u64,
    /// Absent on the seller's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    payee_id: Option<u64>,
    payout_method_id: u64,
    /// Major units with all decimals of the currency.
    amount: String,
    amount_minor: i64,
    #[schema(value_type = String)]
    currency_code: Currency,
    /// `pending`, `processing`, `completed`, `failed` or `cancelled`.
    status: &'static str,
    /// `not_required`, `awaiting_approval`, `approved` or `rejected`.
    approval_status: &'static str,
    /// The bank account as it was when the payout was made, masked.
    destination: DestinationView,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider_reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_code: Option<String>,
    /// `demo` or `live`.
    mode: &'static str,
    /// Verifies call-backs; shown once, when a payout is made with `webhookUrl`.
    #[serde(skip_serializing_if = "Option::is_none")]
    webhook_secret: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    completed_at: Option<Timestamp>,
}

/// A page of payouts.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutList {
    payouts: Vec<PayoutView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

impl PayoutView {
    /// `payout` with the secret of its call-back.
    pub(super) fn with_secret(payout: &Payout, webhook_secret: Option<String>) -> Self {
        Self { webhook_secret, ..Self::from(payout) }
    }
}

impl From<&Payout> for PayoutView {
    fn from(payout: &Payout) -> Self {
        Self {
            id: payout.id.0,
            wallet_id: payout.wallet.0,
            payee_id: payout.payee.map(|payee| payee.0),
            payout_method_id: payout.method.0,
            amount: major_units(payout.amount_minor, payout.currency).to_string(),
            amount_minor: payout.amount_minor,
            currency_code: payout.currency,
            status: payout.status.name(),
            approval_status: payout.approval.name(),
            destination: DestinationView::from(&payout.destination),
            provider_reference: payout.provider_reference.clone(),
            failure_code: payout.failure_code.clone(),
            mode: payout.mode.name(),
            webhook_secret: None,
            created_at: payout.created_at,
            updated_at: payout.updated_at,
            completed_at: payout.completed_at,
        }
    }
}

impl PayoutList {
    /// A page that goes on behind `next`.
    pub(super) fn new(payouts: Vec<PayoutView>, next: Option<u64>) -> Self {
        Self { payouts, has_more: next.is_some(), next_cursor: next, next_before_id: next }
    }
}
