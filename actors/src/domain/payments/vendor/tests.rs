mod allowance;

use super::*;
use crate::domain::email::Email;
use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::payments::payee::{
    Decision, NewPayee, PayeeChange, PayeePatch, PayeeRefusal, Role, Verification,
};
use crate::domain::platform::event::EventType;

const MODE: Mode = Mode::Demo;

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000)
}

fn made(mode: Mode) -> PayeeChange {
    let email = Email::parse("nord@example.com");
    let new = NewPayee { email, ..NewPayee::named("Atelier Nord", Role::Contractor) };
    let new = (new, Country::parse("SE"));
    let change = Vendor::create(new, VendorId(5), (SellerId(1), PayeeId(2)), mode, at(0));
    follow(None, change, mode, at(0))
}

/// What a rule made of `before`, with what follows from it.
fn after(before: &Payee, change: PayeeChange, mode: Mode) -> (Payee, Vec<&'static str>) {
    let change = follow(Some(before), change, mode, at(9));
    (change.payee, change.events.iter().map(|event| event.kind.name()).collect())
}

fn link(payee: &Payee, second: i64) -> Payee {
    issue_link(payee, at(second), MODE, at(1)).expect("issued")
}

fn standing(payee: &Payee, mode: Mode) -> (VendorStatus, bool) {
    let vendor = payee.vendor.as_ref().expect("a vendor");
    let shown = vendor.capabilities(payee, mode, at(9));
    (shown.status, shown.payouts_enabled)
}

fn submitted(payee: &Payee, mode: Mode) -> (Payee, Vec<&'static str>) {
    let change = submit(payee, mode, 3, at(9)).expect("taken").expect("new");
    after(payee, change, mode)
}

fn decided(payee: &Payee, status: VendorStatus, mode: Mode) -> (Payee, Vec<&'static str>) {
    let change = decide(payee, status, mode, at(9)).expect("taken").expect("new");
    after(payee, change, mode)
}

fn renamed(payee: &Payee, mode: Mode) -> (Payee, Vec<&'static str>) {
    let patch = PayeePatch { display_name: Some("Other".to_owned()), ..Default::default() };
    after(payee, payee.patched(patch, None, mode, 3, at(9)).expect("taken"), mode)
}

#[test]
fn a_vendor_waits_for_its_link_to_be_answered() {
    let PayeeChange { payee, events } = made(MODE);
    let kinds: Vec<_> = events.iter().map(|event| event.kind).collect();
    assert_eq!(kinds, [EventType::MarketplaceVendorVerificationRequired]);
    assert_eq!(standing(&payee, MODE), (VendorStatus::Required, false));
    assert_eq!(payee.verifies_at, None);

    let (renamed, kinds) = renamed(&payee, MODE);
    assert_eq!((renamed.verifies_at, kinds), (None, Vec::new()));
    assert_eq!(renamed.display_name, "Other");

    let linked = link(&payee, 100);
    let change = follow(Some(&payee), unreported(linked.clone()), MODE, at(9));
    let event = &change.events[0];
    assert_eq!(event.kind, EventType::MarketplaceVendorVerificationRequired);
    let told = serde_json::json!({ "status": "required", "actionExpiresAt": at(100) });
    assert_eq!(event.payload["verification"], told);
    let vendor = linked.vendor.as_ref().expect("a vendor");
    assert!(vendor.capabilities(&linked, MODE, at(99)).action_until.is_some());
    assert!(vendor.capabilities(&linked, MODE, at(100)).action_until.is_none());

    let (begun, kinds) = submitted(&linked, MODE);
    let expected = [
        "KYBVerificationStarted",
        "KYBVerificationPending",
        "MarketplaceVendorVerificationInProgress",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(begun.verifies_at, Some(at(12)));
    assert_eq!(submit(&begun, MODE, 3, at(9)), Ok(None));
    let due = begun.verification_due(MODE, at(12)).expect("due");
    let (complete, kinds) = after(&begun, due, MODE);
    let expected = [
        "KYBVerificationApproved",
        "MarketplaceVendorVerificationComplete",
        "MarketplaceVendorActivated",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(standing(&complete, MODE), (VendorStatus::Complete, true));
    let over = VendorRefusal::NothingToVerify(VendorStatus::Complete);
    assert_eq!(submit(&complete, MODE, 3, at(9)), Err(over));
}

fn unreported(payee: Payee) -> PayeeChange {
    PayeeChange { payee, events: Vec::new() }
}

#[test]
fn the_operators_word_on_the_vendor_is_one_on_the_payee() {
    use VendorStatus::{Blocked, Complete, InProgress, PendingReview, Required};
    for from in VendorStatus::ALL {
        let fresh = made(MODE).payee;
        let before = match from {
            Required => fresh,
            other => decided(&fresh, *other, MODE).0,
        };
        for to in VendorStatus::ALL {
            let change = decide(&before, *to, MODE, at(9)).expect("taken");
            let Some(change) = change else {
                assert_eq!(from, to);
                continue;
            };
            let (payee, kinds) = after(&before, change, MODE);
            assert_eq!(standing(&payee, MODE), (*to, *to == Complete), "{from} to {to}");
            let (verification, kind) = match to {
                Required => (Verification::Rejected, "MarketplaceVendorVerificationRequired"),
                InProgress => (Verification::Pending, "MarketplaceVendorVerificationInProgress"),
                PendingReview => {
                    (Verification::ManualReview, "MarketplaceVendorVerificationPendingReview")
                }
                Complete => (Verification::Approved, "MarketplaceVendorVerificationComplete"),
                Blocked => (Verification::Rejected, "MarketplaceVendorBlocked"),
            };
            assert_eq!(payee.verification, verification, "{from} to {to}");
            assert!(kinds.contains(&kind), "{from} to {to}: {kinds:?}");
            assert_eq!(kinds.contains(&"MarketplaceVendorActivated"), *to == Complete);
            assert_eq!(payee.verifies_at, None);
        }
    }
}

#[test]
fn the_operators_word_on_the_payee_is_one_on_the_vendor() {
    for (decision, status) in [
        (Decision::Approved, VendorStatus::Complete),
        (Decision::ManualReview, VendorStatus::PendingReview),
        (Decision::RejectedFinal, VendorStatus::Blocked),
    ] {
        let before = made(MODE).payee;
        let change = before.decide(decision, MODE, at(9)).expect("taken").expect("new");
        assert_eq!(standing(&after(&before, change, MODE).0, MODE).0, status);
    }
}

#[test]
fn a_new_name_is_looked_at_again_but_lifts_no_block() {
    let complete = decided(&made(MODE).payee, VendorStatus::Complete, MODE).0;
    let (again, kinds) = renamed(&complete, MODE);
    assert_eq!(standing(&again, MODE), (VendorStatus::InProgress, false));
    assert!(kinds.contains(&"MarketplaceVendorVerificationInProgress"), "{kinds:?}");
    assert_eq!(again.verifies_at, Some(at(12)));

    let blocked = decided(&complete, VendorStatus::Blocked, MODE).0;
    let (still, kinds) = renamed(&blocked, MODE);
    assert_eq!((standing(&still, MODE).0, kinds), (VendorStatus::Blocked, Vec::new()));
    assert_eq!((still.verification, still.verifies_at), (Verification::Rejected, None));
    let refused = VendorRefusal::NothingToVerify(VendorStatus::Blocked);
    assert_eq!(submit(&blocked, MODE, 3, at(9)), Err(refused));
}

#[test]
fn what_was_found_in_demo_mode_counts_for_nothing_in_live_mode() {
    for status in VendorStatus::ALL {
        let fresh = made(MODE).payee;
        let demo = match status {
            VendorStatus::Required => fresh,
            other => decided(&fresh, *other, MODE).0,
        };
        assert_eq!(standing(&demo, Mode::Live), (VendorStatus::Required, false));
        let (renamed, _) = renamed(&demo, Mode::Live);
        assert_eq!(standing(&renamed, Mode::Live), (VendorStatus::Required, false));
        let (begun, _) = submitted(&renamed, Mode::Live);
        assert_eq!(standing(&begun, Mode::Live), (VendorStatus::InProgress, false));
        assert_eq!(begun.verifies_at, None);
        let (complete, kinds) = decided(&begun, VendorStatus::Complete, Mode::Live);
        assert_eq!(standing(&complete, Mode::Live), (VendorStatus::Complete, true));
        assert!(kinds.contains(&"MarketplaceVendorActivated"), "{kinds:?}");
    }
}

#[test]
fn a_demo_verification_that_falls_due_in_live_mode_is_over_and_tells_nothing() {
    let (begun, _) = submitted(&link(&made(MODE).payee, 100), MODE);
    let due = begun.verification_due(Mode::Live, at(12)).expect("due");
    let (over, kinds) = after(&begun, due, Mode::Live);
    assert_eq!((over.verifies_at, kinds), (None, Vec::new()));
    assert_eq!(standing(&over, Mode::Live), (VendorStatus::Required, false));
}

#[test]
fn an_archived_vendor_does_nothing() {
    let archived = Payee { archived_at: Some(at(1)), ..made(MODE).payee };
    assert_eq!(issue_link(&archived, at(99), MODE, at(1)), Err(VendorRefusal::Archived));
    assert_eq!(submit(&archived, MODE, 3, at(9)), Err(VendorRefusal::Archived));
    for status in VendorStatus::ALL {
        let refused = decide(&archived, *status, MODE, at(9));
        let archived = [VendorRefusal::Archived, PayeeRefusal::Archived.into()];
        assert!(archived.contains(&refused.expect_err("archived")), "{status}");
    }
}
