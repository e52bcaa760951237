//! How much a vendor may be paid out.
//!
//! The bound holds for each wallet apart, in minor units of its currency, over the vendor's whole
//! life: what was paid out and what is on its way count, what failed or came back does not.

use super::{Enforcement, Vendor, VendorRefusal};
use crate::domain::ids::WalletId;
use crate::domain::money::AMOUNT_LIMIT;
use crate::domain::payments::payee::Payee;
use crate::domain::payments::payout::{Payout, PayoutStatus};

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Allowance {
    /// `limitMinor`; absent when there is no bound.
    #[n(0)]
    pub limit_minor: Option<i64>,
    #[n(1)]
    pub enforcement: Enforcement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaidOut {
    #[n(0)]
    pub wallet: WalletId,
    #[n(1)]
    pub minor: i64,
}

/// What the operator changes of an allowance; absent stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllowancePatch {
    /// `limitMinor`: 0 or more.
    pub limit_minor: Option<i64>,
    pub enforcement: Option<Enforcement>,
    /// `unlimited`: true takes the bound away.
    pub unlimited: Option<bool>,
}

impl Allowance {
    pub const UNLIMITED: Self = Self { limit_minor: None, enforcement: Enforcement::Enforced };

    pub fn is_unlimited(&self) -> bool {
        self.limit_minor.is_none()
    }
}

impl AllowancePatch {
    /// The allowance after the change; an `unlimited` of false needs a bound.
    pub fn applied(self, to: Allowance) -> Result<Allowance, VendorRefusal> {
        let enforcement = self.enforcement.unwrap_or(to.enforcement);
        let limit_minor = match (self.limit_minor, self.unlimited) {
            (Some(_), Some(true)) => return Err(VendorRefusal::LimitedAndNot),
            (Some(minor), _) if (0..=AMOUNT_LIMIT).contains(&minor) => Some(minor),
            (Some(_), _) => return Err(VendorRefusal::Limit),
            (None, Some(true)) => None,
            (None, Some(false)) => Some(to.limit_minor.ok_or(VendorRefusal::LimitRequired)?),
            (None, None) => to.limit_minor,
        };
        Ok(Allowance { limit_minor, enforcement })
    }
}

/// The payee after the operator has changed its allowance.
pub fn set_allowance(payee: &Payee, patch: AllowancePatch) -> Result<Payee, VendorRefusal> {
    let vendor = payee.vendor.as_ref().ok_or(VendorRefusal::NoVendor)?;
    let allowance = patch.applied(vendor.allowance)?;
    Ok(with(payee, Vendor { allowance, ..vendor.clone() }))
}

/// Whether `payee` may be paid `minor` more out of `wallet`; one that is no vendor may.
pub fn allow(payee: &Payee, wallet: WalletId, minor: i64) -> Result<(), VendorRefusal> {
    let Some(vendor) = &payee.vendor else { return Ok(()) };
    let Allowance { limit_minor: Some(limit), enforcement: Enforcement::Enforced } =
        vendor.allowance
    else {
        return Ok(());
    };
    if vendor.paid_out_of(wallet).saturating_add(minor) > limit {
        return Err(VendorRefusal::BeyondAllowance);
    }
    Ok(())
}

/// The payee after one of its payouts came to be `after`; `before` is the status that it had,
/// absent of a new one. `None` when that changes nothing of what it was paid out.
pub fn counted(payee: &Payee, before: Option<PayoutStatus>, after: &Payout) -> Option<Payee> {
    let vendor = payee.vendor.as_ref()?;
    let minor = match (before.is_some_and(counts), counts(after.status)) {
        (false, true) => after.amount_minor,
        (true, false) => -after.amount_minor,
        (true, true) | (false, false) => return None,
    };
    let mut vendor = vendor.clone();
    vendor.count(after.wallet, minor);
    Some(with(payee, vendor))
}

fn counts(status: PayoutStatus) -> bool {
    match status {
        PayoutStatus::Pending | PayoutStatus::Processing | PayoutStatus::Completed => true,
        PayoutStatus::Failed | PayoutStatus::Cancelled => false,
    }
}

impl Vendor {
    pub fn paid_out_of(&self, wallet: WalletId) -> i64 {
        let paid = self.paid_out.iter().find(|paid| paid.wallet == wallet);
        paid.map_or(0, |paid| paid.minor)
    }

    /// The vendor as if nothing had been paid out to it, to [add](Self::add) all of its payouts.
    pub fn uncounted(&self) -> Self {
        Self { paid_out: Vec::new(), is_counted: true, ..self.clone() }
    }

    /// Counts a payout that was not counted yet, whatever its status.
    pub fn add(&mut self, payout: &Payout) {
        if counts(payout.status) {
            self.count(payout.wallet, payout.amount_minor);
        }
    }

    fn count(&mut self, wallet: WalletId, minor: i64) {
        match self.paid_out.iter_mut().find(|paid| paid.wallet == wallet) {
            Some(paid) => paid.minor = paid.minor.saturating_add(minor),
            None => self.paid_out.push(PaidOut { wallet, minor }),
        }
    }
}

pub(super) fn with(payee: &Payee, vendor: Vendor) -> Payee {
    Payee { vendor: Some(vendor), ..payee.clone() }
}
