//! Vendors as they are answered: who they are, and their capability view.

use actors::domain::payments::payee::Payee;
use actors::domain::payments::vendor::{Enforcement, VendorStatus};
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use actors::link_tokens::LinkTokens;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};

/// A vendor. It is a payee too: payout methods, wallets and payouts are those of `payeeId`.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VendorView {
    id: u64,
    payee_id: u64,
    display_name: String,
    email: Option<String>,
    country: Option<String>,
    /// Whether it is paid out at all.
    payouts_enabled: bool,
    verification: VendorVerificationView,
    payout_allowance: AllowanceView,
    created_at: Timestamp,
}

/// How far the verification of a vendor is.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VendorVerificationView {
    status: VendorStatus,
    /// The last link that was issued, while it is the vendor's turn and the link is good.
    action_url: Option<String>,
    action_expires_at: Option<Timestamp>,
}

/// How much a vendor may be paid out of each of its wallets, over its whole life.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AllowanceView {
    /// In minor units of the wallet's currency; absent when `unlimited`.
    limit_minor: Option<i64>,
    /// `enforced`: a payout beyond the limit is refused; `advisory`: it is not.
    enforcement: Enforcement,
    unlimited: bool,
}

pub type VendorList = List<VendorView>;

impl Listed for VendorView {
    const LIST: &'static str = "VendorList";
    const ITEMS: &'static str = "vendors";
}

impl VendorView {
    /// The vendor that `payee` is, in an account of this mode at `now`; `None` when it is none.
    pub(in crate::api) fn new(
        payee: &Payee,
        mode: Mode,
        links: &LinkTokens,
        now: Timestamp,
    ) -> Option<Self> {
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
                status: shown.status,
                action_url: shown
                    .action_until
                    .map(|until| links.verification_url(payee.seller, vendor.id, until)),
                action_expires_at: shown.action_until,
            },
            payout_allowance: AllowanceView {
                limit_minor: shown.allowance.limit_minor,
                enforcement: shown.allowance.enforcement,
                unlimited: shown.allowance.is_unlimited(),
            },
            created_at: payee.created_at,
        })
    }
}
