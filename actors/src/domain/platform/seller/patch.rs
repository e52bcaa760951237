//! What the operator may change of an account: `PATCH /sellers/{id}`.

use super::{
    Mode, PayoutApproval, ProfilePatch, Quotas, RateLimits, Seller, SellerRefusal, SellerStatus,
};

/// For each field: absent keeps it, `Some(None)` goes back to the setting's default.
pub type Setting = Option<Option<u32>>;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaPatch {
    pub contracts_per_day: Setting,
    pub amendments_per_day: Setting,
    pub invoices_per_day: Setting,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RateLimitPatch {
    pub billing_per_hour: Setting,
    pub billing_burst: Setting,
    pub payments_per_hour: Setting,
    pub payments_burst: Setting,
}

/// What is to change; absent fields stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SellerPatch {
    pub status: Option<SellerStatus>,
    pub mode: Option<Mode>,
    pub vendors_enabled: Option<bool>,
    pub projection_enabled: Option<bool>,
    pub quotas: QuotaPatch,
    pub rate_limits: RateLimitPatch,
    /// `payoutApproval.self`.
    pub approve_own_payouts: Option<bool>,
    /// `payoutApproval.payee`.
    pub approve_payee_payouts: Option<bool>,
    pub profile: ProfilePatch,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SellerChange {
    pub seller: Seller,
    pub changed: bool,
    /// Whether the account went live with this: its test keys are dead from now on, and it
    /// needs a live one.
    pub went_live: bool,
}

pub fn patch(seller: &Seller, patch: &SellerPatch) -> Result<SellerChange, SellerRefusal> {
    let mode = patch.mode.unwrap_or(seller.mode);
    if seller.mode == Mode::Live && mode == Mode::Demo {
        return Err(SellerRefusal::BackToDemo);
    }
    if seller.is_sandbox() && mode == Mode::Live {
        return Err(SellerRefusal::SandboxStaysDemo);
    }
    let own = seller.payout_approval;
    let patched = Seller {
        mode,
        status: patch.status.unwrap_or(seller.status),
        vendors_enabled: patch.vendors_enabled.unwrap_or(seller.vendors_enabled),
        projection_enabled: patch.projection_enabled.unwrap_or(seller.projection_enabled),
        quotas: quotas(&seller.quotas, &patch.quotas),
        rate_limits: rate_limits(&seller.rate_limits, &patch.rate_limits),
        payout_approval: PayoutApproval {
            own: patch.approve_own_payouts.unwrap_or(own.own),
            payee: patch.approve_payee_payouts.unwrap_or(own.payee),
        },
        ..patch.profile.over(seller)?
    };
    let went_live = patched.mode != seller.mode;
    // Two addresses are equal that differ in capitals only.
    let respelled = patched.email.as_str() != seller.email.as_str();
    Ok(SellerChange { changed: respelled || patched != *seller, seller: patched, went_live })
}

fn quotas(now: &Quotas, patch: &QuotaPatch) -> Quotas {
    Quotas {
        contracts_per_day: patch.contracts_per_day.unwrap_or(now.contracts_per_day),
        amendments_per_day: patch.amendments_per_day.unwrap_or(now.amendments_per_day),
        invoices_per_day: patch.invoices_per_day.unwrap_or(now.invoices_per_day),
    }
}

fn rate_limits(now: &RateLimits, patch: &RateLimitPatch) -> RateLimits {
    RateLimits {
        billing_per_hour: patch.billing_per_hour.unwrap_or(now.billing_per_hour),
        billing_burst: patch.billing_burst.unwrap_or(now.billing_burst),
        payments_per_hour: patch.payments_per_hour.unwrap_or(now.payments_per_hour),
        payments_burst: patch.payments_burst.unwrap_or(now.payments_burst),
    }
}

#[cfg(test)]
mod tests {
    use super::super::NewSeller;
    use super::*;
    use crate::domain::ids::SellerId;
    use crate::domain::platform::limits::{Budget, QuotaKind, Surface};
    use crate::domain::time::Timestamp;

    fn seller(mode: Mode, sandbox: bool) -> Seller {
        let now = Timestamp::from_micros(0);
        let new = NewSeller::parse("Byron Ltd", "ada@example.com", None, None).expect("valid");
        let live = new.live(SellerId(1), uuid::Uuid::nil(), 1_000_001, now);
        Seller { mode, expires_at: sandbox.then_some(now), ..live }
    }

    #[test]
    fn live_mode_is_granted_once_and_never_taken_back() {
        use Mode::{Demo, Live};
        for (from, sandbox, to, expected) in [
            (Demo, false, Live, Ok(true)),
            (Demo, false, Demo, Ok(false)),
            (Live, false, Live, Ok(false)),
            (Live, false, Demo, Err(SellerRefusal::BackToDemo)),
            (Demo, true, Live, Err(SellerRefusal::SandboxStaysDemo)),
            (Demo, true, Demo, Ok(false)),
        ] {
            let asked = SellerPatch { mode: Some(to), ..SellerPatch::default() };
            let answered = patch(&seller(from, sandbox), &asked).map(|change| change.went_live);
            assert_eq!(answered, expected);
        }
    }

    #[test]
    fn a_patch_touches_only_what_it_names() {
        let before = seller(Mode::Live, false);
        let empty = patch(&before, &SellerPatch::default()).expect("allowed");
        assert_eq!((empty.changed, &empty.seller), (false, &before));

        let asked = SellerPatch {
            status: Some(SellerStatus::Inactive),
            quotas: QuotaPatch { contracts_per_day: Some(Some(0)), ..QuotaPatch::default() },
            rate_limits: RateLimitPatch { billing_burst: Some(Some(5)), ..Default::default() },
            approve_payee_payouts: Some(true),
            ..SellerPatch::default()
        };
        let after = patch(&before, &asked).expect("allowed");
        assert!(after.changed && !after.went_live);
        assert_eq!(after.seller.status, SellerStatus::Inactive);
        assert_eq!(after.seller.payout_approval, PayoutApproval { own: false, payee: true });
        assert_eq!(after.seller.quota(QuotaKind::Contracts, 20), 0);
        assert_eq!(after.seller.quota(QuotaKind::Invoices, 500), 500);
        let default = Budget { per_hour: 1_000, burst: 100 };
        let expected = Budget { per_hour: 1_000, burst: 5 };
        assert_eq!(after.seller.budget(Surface::Billing, default), expected);
        assert_eq!(after.seller.budget(Surface::Payments, default), default);

        let back = SellerPatch {
            quotas: QuotaPatch { contracts_per_day: Some(None), ..QuotaPatch::default() },
            ..SellerPatch::default()
        };
        let restored = patch(&after.seller, &back).expect("allowed").seller;
        assert_eq!(restored.quota(QuotaKind::Contracts, 20), 20);
    }
}
