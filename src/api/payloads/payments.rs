//! Of payments, and of those who are paid out.

use actors::domain::money::Currency;
use actors::domain::payments::method::Method;
use actors::domain::payments::payee::{RejectType, Role};
use actors::domain::payments::payment::PaymentStatus;
use actors::domain::payments::payout::{ApprovalStatus, PayoutStatus};
use actors::domain::payments::terminal::Rail;
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::payments::payees::VerificationView;
use crate::api::payments::payment::CardView;
use crate::api::payments::payout_methods::DestinationView;
use crate::api::payments::vendors::{AllowanceView, VendorVerificationView};

/// A payment as it then stood.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaymentPayload {
    /// Your `externalOrderRef`, or what was made in its place for an invoice or a link.
    payment_id: String,
    status: PaymentStatus,
    amount_minor: i64,
    currency_code: Currency,
    /// Whether the buyer must act.
    requires_action: bool,
    /// 0 when it has not failed.
    failure_code: u16,
    failure_category: Option<String>,
    /// `safe`, `fix_first` or `never`.
    retry: Option<String>,
    /// Prose; branch on the code.
    failure_description: Option<String>,
    /// Where it stopped.
    failure_stage: Option<String>,
    card: Option<CardView>,
    payment_type: Rail,
    payment_method: Method,
    captured_amount_minor: i64,
    refunded_amount_minor: i64,
    /// Of the payment of an invoice.
    contract_id: Option<u64>,
    /// Of the payment of an invoice.
    invoice_id: Option<u64>,
    /// Of a payment by a payment link.
    payment_link_id: Option<u64>,
    /// Of a payment for a subscription that is sold by a link.
    link_subscription_id: Option<u64>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A payment, with the refund that went through: `refundedAmountMinor` is what it gave back.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefundPayload {
    #[serde(flatten)]
    payment: PaymentPayload,
    refund_id: u64,
    /// What all refunds of the payment gave back.
    total_refunded_amount_minor: i64,
    /// Whether this refund gave less back than was captured.
    partial: bool,
}

/// A payee, with how far its verification is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayeePayload {
    payee_id: u64,
    display_name: String,
    payee_contract_id: Option<String>,
    role: Option<Role>,
    verification: VerificationView,
    /// Whether other data may help.
    review_reject_type: Option<RejectType>,
}

/// What a vendor may do.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VendorPayload {
    vendor_id: u64,
    payee_id: u64,
    display_name: String,
    payouts_enabled: bool,
    verification: VendorVerificationView,
    payout_allowance: AllowanceView,
}

/// A payout as it then stood.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutPayload {
    id: u64,
    /// The same.
    payout_id: u64,
    wallet_id: u64,
    /// Absent on the seller's own.
    payee_id: Option<u64>,
    payout_method_id: u64,
    amount_minor: i64,
    currency_code: Currency,
    status: PayoutStatus,
    approval_status: ApprovalStatus,
    /// The bank account, masked.
    destination: DestinationView,
    provider_reference: Option<String>,
    failure_code: Option<String>,
    mode: Mode,
    created_at: Timestamp,
    completed_at: Option<Timestamp>,
}
