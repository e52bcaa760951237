//! What the operator may change of an account: `PATCH /sellers/{id}`.

use crate::domain::time::Timestamp;

use super::{
    Mode, PayoutApproval, ProfilePatch, Quotas, RateLimits, Seller, SellerRefusal, SellerStatus,
};

const MOST_RETURN_HOSTS: usize = 50;

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
    /// The hosts that buyers may be sent back to.
    pub return_hosts: Option<Vec<String>>,
    pub profile: ProfilePatch,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SellerChange {
    pub seller: Seller,
    pub changed: bool,
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
        allowed_return_hosts: match &patch.return_hosts {
            Some(hosts) => return_hosts(hosts)?,
            None => seller.allowed_return_hosts.clone(),
        },
        ..patch.profile.over(seller)?
    };
    // Two addresses are equal that differ in capitals only.
    let respelled = patched.email.as_str() != seller.email.as_str();
    Ok(SellerChange { changed: respelled || patched != *seller, seller: patched })
}

/// Each host once, in lower case.
fn return_hosts(hosts: &[String]) -> Result<Vec<String>, SellerRefusal> {
    let plain = |host: &str| {
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-';
        (1..=253).contains(&host.len()) && host.chars().all(letters)
    };
    let mut all: Vec<String> = Vec::new();
    for host in hosts.iter().map(|host| host.trim().to_ascii_lowercase()) {
        if !plain(&host) {
            return Err(SellerRefusal::ReturnHosts);
        }
        if !all.contains(&host) {
            all.push(host);
        }
    }
    if all.len() > MOST_RETURN_HOSTS { Err(SellerRefusal::ReturnHosts) } else { Ok(all) }
}

/// The account with its owner's wish to go live, which the operator grants.
pub fn ask_to_go_live(seller: &Seller, now: Timestamp) -> Result<Seller, SellerRefusal> {
    match (seller.mode, seller.is_sandbox()) {
        (Mode::Live, _) => Err(SellerRefusal::IsLive),
        (Mode::Demo, true) => Err(SellerRefusal::SandboxStaysDemo),
        (Mode::Demo, false) => {
            let asked_at = seller.go_live_requested_at.or(Some(now));
            Ok(Seller { go_live_requested_at: asked_at, ..seller.clone() })
        }
    }
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
            let answered = patch(&seller(from, sandbox), &asked).map(|change| change.changed);
            assert_eq!(answered, expected);
        }
    }

    #[test]
    fn hosts_are_plain_and_each_there_once() {
        let hosts = |hosts: &[&str]| {
            let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
            let asked = SellerPatch { return_hosts: Some(hosts), ..SellerPatch::default() };
            patch(&seller(Mode::Demo, false), &asked).map(|c| c.seller.allowed_return_hosts)
        };
        let some = vec!["shop.example.com".to_owned(), "localhost".to_owned()];
        assert_eq!(hosts(&["Shop.example.com ", "localhost", "shop.example.com"]), Ok(some));
        assert_eq!(hosts(&[]), Ok(Vec::new()));
        for wrong in ["", "https://a.de", "a.de:80", "a b"] {
            assert_eq!(hosts(&[wrong]), Err(SellerRefusal::ReturnHosts), "{wrong}");
        }
    }

    #[test]
    fn only_a_demo_account_that_stays_may_ask_to_go_live() {
        let at = |micros| Timestamp::from_micros(micros);
        let asked = ask_to_go_live(&seller(Mode::Demo, false), at(5)).expect("asked");
        assert_eq!(asked.go_live_requested_at, Some(at(5)));
        let again = ask_to_go_live(&asked, at(9)).expect("asked");
        assert_eq!(again.go_live_requested_at, Some(at(5)));
        assert_eq!(ask_to_go_live(&seller(Mode::Live, false), at(5)), Err(SellerRefusal::IsLive));
        let sandbox = ask_to_go_live(&seller(Mode::Demo, true), at(5));
        assert_eq!(sandbox, Err(SellerRefusal::SandboxStaysDemo));
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
        assert!(after.changed);
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
