use actors::domain::money::{Currency, major_units};
use actors::domain::payments::payout::{ApprovalStatus, Payout, PayoutStatus};
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::payments::payout_methods::DestinationView;
use crate::api::wire::{List, Listed};

/// A payout.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutView {
    id: u64,
    wallet_id: u64,
    /// Absent on the seller's own.
    payee_id: Option<u64>,
    payout_method_id: u64,
    /// Major units with all decimals of the currency.
    amount: String,
    amount_minor: i64,
    currency_code: Currency,
    status: PayoutStatus,
    approval_status: ApprovalStatus,
    /// The bank account as it was when the payout was made, masked.
    destination: DestinationView,
    provider_reference: Option<String>,
    failure_code: Option<String>,
    mode: Mode,
    /// Verifies call-backs; shown once, when a payout is made with `webhookUrl`.
    webhook_secret: Option<String>,
    created_at: Timestamp,
    updated_at: Timestamp,
    completed_at: Option<Timestamp>,
}

pub type PayoutList = List<PayoutView>;

impl Listed for PayoutView {
    const LIST: &'static str = "PayoutList";
    const ITEMS: &'static str = "payouts";
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
            status: payout.status,
            approval_status: payout.approval,
            destination: DestinationView::from(&payout.destination),
            provider_reference: payout.provider_reference.clone(),
            failure_code: payout.failure_code.clone(),
            mode: payout.mode,
            webhook_secret: None,
            created_at: payout.created_at,
            updated_at: payout.updated_at,
            completed_at: payout.completed_at,
        }
    }
}
