//! How much a vendor may be paid out.

use super::{MODE, at, made, unreported};
use crate::domain::ids::{PayeeId, PayoutId, PayoutMethodId, SellerId, WalletId};
use crate::domain::money::Currency;
use crate::domain::payments::bank::BankAccount;
use crate::domain::payments::payee::Payee;
use crate::domain::payments::payout::{ApprovalStatus, Payout, PayoutStatus};
use crate::domain::payments::vendor::{
    Allowance, AllowancePatch, Enforcement, PaidOut, Vendor, VendorRefusal, allow, counted, follow,
    set_allowance,
};
use crate::domain::platform::event::EventType;
use crate::secrets::{KEY_BYTES, NONCE_BYTES, Place, SecretBox};

#[test]
fn an_allowance_is_changed_field_by_field() {
    let limited = |minor| Allowance { limit_minor: Some(minor), ..Allowance::UNLIMITED };
    let patch = AllowancePatch::default();
    for (from, patch, expected) in [
        (Allowance::UNLIMITED, patch, Ok(Allowance::UNLIMITED)),
        (limited(5), patch, Ok(limited(5))),
        (limited(5), AllowancePatch { limit_minor: Some(0), ..patch }, Ok(limited(0))),
        (limited(5), AllowancePatch { unlimited: Some(true), ..patch }, Ok(Allowance::UNLIMITED)),
        (limited(5), AllowancePatch { unlimited: Some(false), ..patch }, Ok(limited(5))),
        (
            limited(5),
            AllowancePatch { enforcement: Some(Enforcement::Advisory), ..patch },
            Ok(Allowance { enforcement: Enforcement::Advisory, ..limited(5) }),
        ),
        (
            Allowance::UNLIMITED,
            AllowancePatch { unlimited: Some(false), ..patch },
            Err(VendorRefusal::LimitRequired),
        ),
        (
            limited(5),
            AllowancePatch { unlimited: Some(true), limit_minor: Some(5), ..patch },
            Err(VendorRefusal::LimitedAndNot),
        ),
        (limited(5), AllowancePatch { limit_minor: Some(-1), ..patch }, Err(VendorRefusal::Limit)),
    ] {
        assert_eq!(patch.applied(from), expected);
    }
    let before = made(MODE).payee;
    let patch = AllowancePatch { limit_minor: Some(7), ..patch };
    let changed = set_allowance(&before, patch).expect("set");
    let change = follow(Some(&before), unreported(changed.clone()), MODE, at(9));
    assert_eq!(change.events[0].kind, EventType::MarketplaceVendorPayoutAllowanceChanged);
    assert_eq!(change.events[0].payload["payoutAllowance"]["limitMinor"], 7);
    assert!(follow(Some(&changed), unreported(changed.clone()), MODE, at(9)).events.is_empty());
}

#[test]
fn what_was_paid_out_and_not_come_back_counts() {
    let wallet = WalletId(4);
    let patch = AllowancePatch { limit_minor: Some(100), ..AllowancePatch::default() };
    let vendor = set_allowance(&made(MODE).payee, patch).expect("set");
    assert_eq!(allow(&vendor, wallet, 100), Ok(()));
    assert_eq!(allow(&vendor, wallet, 101), Err(VendorRefusal::BeyondAllowance));

    let begun = counted(&vendor, None, &payout(60, PayoutStatus::Pending)).expect("counted");
    assert_eq!(allow(&begun, wallet, 40), Ok(()));
    assert_eq!(allow(&begun, wallet, 41), Err(VendorRefusal::BeyondAllowance));
    assert_eq!(allow(&begun, WalletId(9), 100), Ok(()));
    for before in PayoutStatus::ALL {
        for after in PayoutStatus::ALL {
            let is_back = |status| matches!(status, PayoutStatus::Failed | PayoutStatus::Cancelled);
            let left = match (is_back(*before), is_back(*after)) {
                (true, false) => Some(-20),
                (false, true) => Some(100),
                _ => None,
            };
            let change = counted(&begun, Some(*before), &payout(60, *after));
            let paid = |payee: Payee| payee.vendor.map(|vendor| vendor.paid_out_of(wallet));
            let paid = change.and_then(paid);
            assert_eq!(paid.map(|paid| 100 - paid), left, "{before} to {after}");
        }
    }
    let back = counted(&begun, Some(PayoutStatus::Completed), &payout(60, PayoutStatus::Failed));
    assert_eq!(allow(&back.expect("counted"), wallet, 100), Ok(()));

    let advisory =
        AllowancePatch { enforcement: Some(Enforcement::Advisory), ..AllowancePatch::default() };
    let after = set_allowance(&begun, advisory).expect("set");
    assert_eq!(allow(&after, wallet, 1_000), Ok(()));
    let plain = Payee::approved(PayeeId(2), SellerId(1), "Ada", at(0));
    assert_eq!(allow(&plain, wallet, 1_000), Ok(()));
    assert_eq!(counted(&plain, None, &payout(60, PayoutStatus::Pending)), None);
}

#[test]
fn what_was_paid_out_is_added_up_from_all_payouts() {
    let known = made(MODE).payee.vendor.expect("a vendor");
    let paid_out = vec![PaidOut { wallet: WalletId(4), minor: 7 }];
    let miscounted = Vendor { paid_out, is_counted: false, ..known.clone() };
    let mut counted = miscounted.uncounted();
    assert_eq!(counted, known);
    for (minor, status) in [
        (60, PayoutStatus::Completed),
        (5, PayoutStatus::Pending),
        (30, PayoutStatus::Cancelled),
        (20, PayoutStatus::Failed),
    ] {
        counted.add(&payout(minor, status));
    }
    assert_eq!(counted.paid_out, [PaidOut { wallet: WalletId(4), minor: 65 }]);
}

fn payout(minor: i64, status: PayoutStatus) -> Payout {
    let account = BankAccount::of_iban(Currency::EUR, "DE89370400440532013000").expect("sound");
    let secrets = SecretBox::new(&[7; KEY_BYTES]);
    let place = Place::AccountNumber(SellerId(1), PayoutMethodId(3));
    let seal = |text: &str| secrets.seal(place, text.as_bytes(), [1; NONCE_BYTES]);
    Payout {
        id: PayoutId(1),
        seller: SellerId(1),
        payee: Some(PayeeId(2)),
        wallet: WalletId(4),
        method: PayoutMethodId(3),
        amount_minor: minor,
        currency: Currency::EUR,
        status,
        approval: ApprovalStatus::NotRequired,
        destination: account.destination(seal),
        provider_reference: None,
        failure_code: None,
        created_at: at(0),
        updated_at: at(0),
        completed_at: None,
        completes_at: None,
        spans: Vec::new(),
        mode: MODE,
        call_back: None,
        idempotency_key: "k".to_owned(),
    }
}
