//! Payees: their fields, their verification, and when they may be put away.

use storage::{Record, cbor_encode};

use serde_json::json;

use super::*;
use crate::domain::money::Currency;
use crate::domain::payments::wallet::{Wallet, WalletStatus};
use crate::domain::platform::event::EventType;
use crate::secrets::{Place, SecretBox};

const HOME: (SellerId, PayeeId) = (SellerId(1), PayeeId(2));

fn now() -> Timestamp {
    Timestamp::parse("2026-11-21T10:00:00Z").expect("an instant")
}

fn made(mode: Mode) -> PayeeChange {
    let new = NewPayee::named("Ada", Role::Contractor);
    Payee::create(new, HOME, None, mode, 2, now())
}

fn tax_id(number: &str, nonce: u8) -> TaxId {
    let place = Place::TaxNumber(HOME.0, HOME.1);
    let sealed = SecretBox::new(&[3; 32]).seal(place, number.as_bytes(), [nonce; 24]);
    TaxId { sealed, last4: crate::domain::payments::bank::last_four(number) }
}

fn kinds(change: &PayeeChange) -> Vec<EventType> {
    change.events.iter().map(|event| event.kind).collect()
}

#[test]
fn a_demo_payee_is_verified_by_itself_and_a_live_one_by_the_operator() {
    let demo = made(Mode::Demo);
    let started = [EventType::KYBVerificationStarted, EventType::KYBVerificationPending];
    assert_eq!(kinds(&demo), started);
    assert_eq!(demo.payee.verification_due(Mode::Demo, now().plus_seconds(1)), None);
    let approved = demo.payee.verification_due(Mode::Demo, now().plus_seconds(2)).expect("due");
    assert_eq!(kinds(&approved), [EventType::KYBVerificationApproved]);
    assert!(approved.payee.is_payable(Mode::Demo) && !approved.payee.is_payable(Mode::Live));
    assert_eq!(approved.payee.verification_in(Mode::Live), (Verification::Pending, None));
    assert_eq!(approved.payee.verification_due(Mode::Demo, Timestamp::MAX), None, "once");

    let live = made(Mode::Live).payee;
    assert_eq!(live.verification_due(Mode::Live, Timestamp::MAX), None);
    let table = [
        (Decision::ManualReview, EventType::KYBVerificationManualReview, None),
        (Decision::RejectedRetry, EventType::KYBVerificationRejected, Some(RejectType::Retry)),
        (Decision::RejectedFinal, EventType::KYBVerificationRejected, Some(RejectType::Final)),
        (Decision::Approved, EventType::KYBVerificationApproved, None),
    ];
    let mut payee = live;
    for (decision, kind, reject_type) in table {
        let change = payee.decide(decision, Mode::Live, now()).expect("allowed").expect("new");
        assert_eq!((kinds(&change), change.payee.reject_type), (vec![kind], reject_type));
        let payload = &change.events[0].payload;
        assert_eq!(payload.get("reviewRejectType"), reject_type.map(|kind| json!(kind)).as_ref());
        payee = change.payee;
        assert_eq!(payee.decide(decision, Mode::Live, now()), Ok(None), "twice is once");
        assert_eq!(payee.is_payable(Mode::Live), decision == Decision::Approved);
    }
}

#[test]
fn a_demo_verification_that_falls_due_in_live_mode_approves_nobody() {
    let demo = made(Mode::Demo).payee;
    let over = demo.verification_due(Mode::Live, now().plus_seconds(2)).expect("due");
    assert_eq!((kinds(&over), over.payee.verifies_at), (Vec::new(), None));
    for mode in [Mode::Demo, Mode::Live] {
        assert_eq!(over.payee.verification_in(mode), (Verification::Pending, None));
    }
}

#[test]
fn an_operator_who_was_faster_stops_the_timer() {
    let demo = made(Mode::Demo).payee;
    let held = demo.decide(Decision::ManualReview, Mode::Demo, now()).expect("allowed");
    assert_eq!(held.expect("new").payee.verification_due(Mode::Demo, Timestamp::MAX), None);
}

#[test]
fn who_is_called_or_taxed_otherwise_is_verified_anew() {
    let approved =
        made(Mode::Demo).payee.verification_due(Mode::Demo, Timestamp::MAX).expect("due").payee;
    let patched = |patch: PayeePatch, tax: Option<Option<TaxId>>| {
        approved.patched(patch, tax, Mode::Demo, 2, now()).expect("allowed")
    };
    let same = PayeePatch::default;
    let text = |text: &str| text.to_owned();
    let email = Email::parse("ada@example.com");
    for (patch, tax, restarts) in [
        (same(), None, false),
        (PayeePatch { display_name: Some(text("Ada")), ..same() }, None, false),
        (PayeePatch { email: Some(email), ..same() }, None, false),
        (PayeePatch { phone: Some(Some(text("+47 1"))), ..same() }, None, false),
        (PayeePatch { role: Some(Role::Tax), ..same() }, None, false),
        (PayeePatch { display_name: Some(text("Grace")), ..same() }, None, true),
        (PayeePatch { business_name: Some(Some(text("Ada Ltd"))), ..same() }, None, true),
        (same(), Some(Some(tax_id("12345", 1))), true),
        (same(), Some(None), false),
    ] {
        let change = patched(patch, tax);
        let pending = change.payee.verification == Verification::Pending;
        assert_eq!((pending, change.events.len()), (restarts, usize::from(restarts) * 2));
    }
    let grace = || PayeePatch { display_name: Some(text("Grace")), ..same() };
    for (decision, mode, restarts) in [
        (Decision::RejectedRetry, Mode::Demo, true),
        (Decision::RejectedFinal, Mode::Demo, false),
        (Decision::RejectedFinal, Mode::Live, true),
    ] {
        let rejected = approved.decide(decision, Mode::Demo, now()).expect("taken");
        let rejected = rejected.expect("a decision").payee;
        let change = rejected.patched(grace(), None, mode, 2, now()).expect("allowed");
        assert_eq!(change.payee.display_name, "Grace");
        let pending = change.payee.verification == Verification::Pending;
        assert_eq!((pending, change.events.len()), (restarts, usize::from(restarts) * 2));
    }
    let nothing = PayeePatch { email: Some(None), payee_contract_id: Some(None), ..same() };
    assert_eq!(patched(nothing, None).payee, approved);
}

#[test]
fn nothing_with_money_is_put_away() {
    let payee = Payee { payee_contract_id: Some("ada".to_owned()), ..made(Mode::Demo).payee };
    let empty = Wallet::empty(WalletId(3), HOME.0, Some(HOME.1), Currency::EUR);
    let held = |available, pending, reserved| Wallet {
        available_minor: available,
        pending_minor: pending,
        reserved_minor: reserved,
        ..empty.clone()
    };
    for (wallet, open, expected) in [
        (held(0, 0, 0), true, Err(PayeeRefusal::OpenPayout)),
        (held(1, 0, 0), false, Err(PayeeRefusal::Balance)),
        (held(-1, 0, 0), false, Err(PayeeRefusal::Balance)),
        (held(-1, 1, 0), false, Err(PayeeRefusal::Balance)),
        (held(0, 0, 1), false, Err(PayeeRefusal::Balance)),
        (held(0, 0, 0), false, Ok(())),
    ] {
        let done = archive(&payee, [&wallet].into_iter(), open, Mode::Demo, now());
        assert_eq!(done.map(|_| ()), expected);
        let deleted = deletable(open, Some(&wallet)).map_err(|refusal| match refusal {
            PayeeRefusal::MethodOpenPayout => PayeeRefusal::OpenPayout,
            PayeeRefusal::MethodBalance => PayeeRefusal::Balance,
            other => other,
        });
        assert_eq!(deleted, expected);
    }
    let demo = held(1, 1, 0).made(Mode::Demo, now());
    assert!(archive(&payee, [&demo].into_iter(), false, Mode::Live, now()).is_ok());
    let (change, wallets) = archive(&payee, [&empty].into_iter(), false, Mode::Demo, now())
        .expect("allowed")
        .expect("new");
    assert!(change.payee.is_archived() && !change.payee.is_payable(Mode::Demo));
    assert_eq!(wallets[0].status, WalletStatus::Closed);
    assert_eq!(change.payee.payee_contract_id, None, "another may have it");
    assert_eq!(archive(&change.payee, [&empty].into_iter(), false, Mode::Demo, now()), Ok(None));
    assert_eq!(change.payee.verification_due(Mode::Demo, Timestamp::MAX), None);
    let decided = change.payee.decide(Decision::Approved, Mode::Demo, now());
    assert_eq!(decided, Err(PayeeRefusal::Archived));

    let (archived, closed) = (change.payee, wallets[0].clone());
    let moved = |minor| Wallet { available_minor: minor, ..closed.clone() };
    for minor in [0, -1] {
        let wallet = moved(minor);
        let nobody = reopened(&archived, [&wallet].into_iter(), [&wallet].into_iter());
        assert_eq!(nobody, None, "{minor}");
    }
    let wallet = moved(1);
    let open =
        reopened(&archived, [&wallet].into_iter(), [&wallet].into_iter()).expect("gets money");
    let again = archived.opened();
    assert!(!again.is_archived() && open[0].withdrawable_minor(true) == 1);
    let approved = again.verification_due(Mode::Demo, Timestamp::MAX).expect("it goes on");
    assert!(approved.payee.is_payable(Mode::Demo));
    assert_eq!(reopened(&again, [&wallet].into_iter(), [&wallet].into_iter()), None);
}

#[test]
fn rows_of_the_first_payees_are_read() {
    let mut first = vec![0x86];
    for part in [
        cbor_encode(&PayeeId(2)),
        cbor_encode(&SellerId(1)),
        cbor_encode(&"Studio".to_owned()),
        vec![0xf6],
        cbor_encode(&Verification::Approved),
        cbor_encode(&now()),
    ] {
        first.extend(part);
    }
    let payee = Payee::decode(1, &first).expect("an old row");
    assert!(payee.is_payable(Mode::Demo) && payee.wallets.is_none());
    let full = Payee { tax_id: Some(tax_id("12345", 1)), ..made(Mode::Live).payee };
    assert_eq!(Payee::decode(1, &full.encode()), Ok(full));
}
