//! Marketplace vendors: payees that a marketplace's own sellers become.
//!
//! A vendor is a payee with one thing more: it verifies itself over a link, and it is paid out no
//! more than its allowance. Both decisions on who it is are one: the verification of the payee
//! and that of the vendor follow each other ([`follow`]), so a payee that is approved is a vendor
//! whose verification is complete.

mod allowance;
mod event;
mod follow;
mod refusal;

pub use allowance::{Allowance, AllowancePatch, PaidOut, allow, counted, set_allowance};
pub use follow::{decide, follow, submit};
pub use refusal::VendorRefusal;

use crate::domain::country::Country;
use crate::domain::ids::{PayeeId, SellerId, VendorId};
use crate::domain::names::names;
use crate::domain::payments::payee::{NewPayee, Payee, PayeeChange};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

/// How long a verification link is good.
pub const LINK_SECONDS: i64 = 7 * 24 * 3_600;

names! {
    VendorStatus;
    0 Required = "required",
    1 InProgress = "in_progress",
    2 PendingReview = "pending_review",
    3 Complete = "complete",
    4 Blocked = "blocked",
}

names! {
    Enforcement;
    /// A payout beyond the allowance is refused.
    0 Enforced = "enforced",
    /// The allowance is told, and refuses nothing.
    1 Advisory = "advisory",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Vendor {
    #[n(0)]
    pub id: VendorId,
    #[n(1)]
    pub country: Option<Country>,
    #[n(2)]
    pub status: VendorStatus,
    #[n(3)]
    pub allowance: Allowance,
    /// Until when the last verification link is good. The link itself is kept nowhere.
    #[n(4)]
    pub link_until: Option<Timestamp>,
    /// What it was paid out, and what is on its way to it, of each of its wallets.
    #[n(5)]
    pub paid_out: Vec<PaidOut>,
    /// The mode in which `status` was found; in the other one it is required.
    #[n(6)]
    pub mode: Mode,
    /// Whether `paid_out` holds what the payouts say: earlier programs could count one wrongly.
    #[n(7)]
    #[cbor(default)]
    pub is_counted: bool,
}

/// A vendor as it stands in an account of one mode: what its capability view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities<'a> {
    pub payouts_enabled: bool,
    pub status: VendorStatus,
    /// Until when its link is good, while it is its turn.
    pub action_until: Option<Timestamp>,
    pub allowance: &'a Allowance,
}

impl Vendor {
    /// A payee that is a vendor, in an account of this `mode`. Nothing is begun before it has
    /// answered a verification link.
    pub fn create(
        (new, country): (NewPayee, Option<Country>),
        id: VendorId,
        (seller, payee): (SellerId, PayeeId),
        mode: Mode,
        now: Timestamp,
    ) -> PayeeChange {
        let PayeeChange { payee, .. } = Payee::create(new, (seller, payee), None, mode, 0, now);
        let vendor = Some(Self::new(id, country, mode));
        PayeeChange { payee: Payee { vendor, verifies_at: None, ..payee }, events: Vec::new() }
    }

    /// A vendor of which nothing is known yet, with no bound to what it is paid out.
    pub fn new(id: VendorId, country: Option<Country>, mode: Mode) -> Self {
        Self {
            id,
            country,
            status: VendorStatus::Required,
            allowance: Allowance::UNLIMITED,
            link_until: None,
            paid_out: Vec::new(),
            mode,
            is_counted: true,
        }
    }

    pub fn capabilities(&self, payee: &Payee, mode: Mode, now: Timestamp) -> Capabilities<'_> {
        let status = if self.mode == mode { self.status } else { VendorStatus::Required };
        let waits = status == VendorStatus::Required && !payee.is_archived();
        Capabilities {
            payouts_enabled: status == VendorStatus::Complete && payee.is_payable(mode),
            status,
            action_until: self.link_until.filter(|until| waits && now < *until),
            allowance: &self.allowance,
        }
    }
}

/// The payee after a link that is good until then was issued to it; earlier links go on being
/// good.
pub fn issue_link(
    payee: &Payee,
    until: Timestamp,
    mode: Mode,
    now: Timestamp,
) -> Result<Payee, VendorRefusal> {
    let vendor = payee.vendor.as_ref().ok_or(VendorRefusal::NoVendor)?;
    if payee.is_archived() {
        return Err(VendorRefusal::Archived);
    }
    match vendor.capabilities(payee, mode, now).status {
        VendorStatus::Required | VendorStatus::InProgress | VendorStatus::PendingReview => {}
        status @ (VendorStatus::Complete | VendorStatus::Blocked) => {
            return Err(VendorRefusal::NothingToVerify(status));
        }
    }
    Ok(allowance::with(payee, Vendor { link_until: Some(until), ..vendor.clone() }))
}

#[cfg(test)]
mod tests;
