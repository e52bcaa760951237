//! Vendors as they are answered: who they are, and their capability view.

use actors::domain::payments::payee::Payee;
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// A vendor. It is a payee too: payout methods, wallets and payouts are those of `payeeId`.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VendorView {
    id: u64,
    payee_id: u64,
    display_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country: Option<String>,
    /// Whether it is paid out at all.
    payouts_enabled: bool,
    verification: VendorVerificationView,
    payout_allowance: AllowanceView,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// How far the verification of a vendor is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct VendorVerificationView {
    /// `required`, `in_progress`, `pending_review`, `complete` or `blocked`.
    status: &'static str,
    /// The last link that was issued, while it is the vendor's turn and the link is good.
    #[serde(skip_serializing_if = "Option::is_none")]
    action_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    action_expires_at: Option<Timestamp>,
}

/// How much a vendor may be paid out of each of its wallets, over its whole life.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct AllowanceView {
    /// In minor units of the wallet's currency; absent when `unlimited`.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit_minor: Option<i64>,
    /// `enforced`: a payout beyond the limit is refused; `advisory`: it is not.
    enforcement: &'static str,
    unlimited: bool,
}

/// A page of vendors.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VendorList {
    vendors: Vec<VendorView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

impl VendorView {
    /// The vendor that `payee` is, in an account of this mode at `now`; `None` when it is none.
    pub(in crate::api) fn new(payee: &Payee, mode: Mode, now: Timestamp) -> Option<Self> {
        let vendor = payee.vendor.as_ref()?;
        let shown = vendor.capabilities(payee, mode, now);
        Some(Self {
            id: vendor.id.0,
            payee_id: payee.id.0,
            display_name: payee.display_name.clone(),
            email: payee.email.as_ref().map(|email| email.as_str().to_owned()),
            country: vendor.country.map(|country| country.code().to_owned()),
            payouts_enabled: shown.payouts_enabled,
            verification: VendorVerificationView {
                status: shown.status.name(),
                action_url: shown.action.map(|link| link.url.clone()),
                action_expires_at: shown.action.map(|link| link.expires_at),
            },
            payout_allowance: AllowanceView {
                limit_minor: shown.allowance.limit_minor,
                enforcement: shown.allowance.enforcement.name(),
                unlimited: shown.allowance.is_unlimited(),
            },
            created_at: payee.created_at,
        })
    }
}

impl VendorList {
    pub(super) fn new(vendors: Vec<VendorView>, next: Option<u64>) -> Self {
        Self { vendors, has_more: next.is_some(), next_cursor: next, next_before_id: next }
    }
}
