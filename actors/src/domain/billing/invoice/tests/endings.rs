//! Subscriptions that end in the term in which their plan was changed, to the cent.

use super::account::Account;
use super::fixtures::*;
use super::life::check_document;
use crate::domain::billing::invoice::*;
use crate::domain::billing::subscription::{Cancel, CancelMode, NewSubscription, PlanChange};

fn to_price(price_minor: i64) -> PlanChange {
    PlanChange { price_minor: Some(price_minor), ..PlanChange::default() }
}

fn prorated(mode: CancelMode, at: Option<&str>) -> Cancel {
    Cancel { mode, at: at.map(day), prorate: true, ..Cancel::default() }
}

/// What the documents bill, one after the other, until nothing is due.
fn billed(account: &mut Account, on: &str) -> Vec<i64> {
    let before = account.documents.len();
    while account.bill(day(on)) {}
    let new = &account.documents[before..];
    new.iter().for_each(check_document);
    new.iter().map(|document| document.lines.iter().map(|line| line.amount_minor).sum()).collect()
}

#[test]
fn a_prorated_cancel_bills_the_days_used_at_the_price_that_held() {
    let mut account = Account::default();
    account.begin(1, NewSubscription::monthly("2026-04-01", 3_001));
    account.change_plan(1, day("2026-04-01"), &to_price(4_507)).expect("changed");
    let at_once = prorated(CancelMode::Immediately, None);
    account.cancel(1, day("2026-04-06"), &at_once).expect("canceled");
    // Five days of thirty at 45.07, as 5.00 of the term and 2.51 of the change.
    assert_eq!(billed(&mut account, "2026-04-06"), [751]);
    assert_eq!((account.open_charge(), account.open_credit()), (0, 0));
}

#[test]
fn every_change_of_the_term_is_cut_and_one_of_no_day_is_gone() {
    let mut account = Account::default();
    account.begin(1, NewSubscription::monthly("2026-04-01", 3_000));
    for (on, price) in [("2026-04-06", 6_000), ("2026-04-11", 1_500), ("2026-04-16", 9_000)] {
        account.change_plan(1, day(on), &to_price(price)).expect("changed");
    }
    let at_once = prorated(CancelMode::Immediately, None);
    account.cancel(1, day("2026-04-16"), &at_once).expect("canceled");
    let days: Vec<_> = account.prorations.values().map(|record| record.days_left).collect();
    assert_eq!(days, [10, 5, 0]);
    // Five days each at 1.00, 2.00 and 0.50.
    assert_eq!(billed(&mut account, "2026-04-16"), [500 + 1_000 + 250]);
    assert!(account.prorations.values().all(|record| !record.is_open()));
}

#[test]
fn nothing_is_left_of_a_term_that_is_canceled_on_its_first_day() {
    let mut account = Account::default();
    account.begin(1, NewSubscription::monthly("2026-04-01", 3_000));
    account.change_plan(1, day("2026-04-01"), &to_price(6_000)).expect("changed");
    let at_once = prorated(CancelMode::Immediately, None);
    account.cancel(1, day("2026-04-01"), &at_once).expect("canceled");
    assert_eq!(billed(&mut account, "2026-05-01"), [0; 0]);
}

#[test]
fn a_cut_that_is_taken_back_leaves_the_changes_as_they_were() {
    let mut account = Account::default();
    account.begin(1, NewSubscription::monthly("2026-04-01", 3_000));
    account.change_plan(1, day("2026-04-06"), &to_price(6_000)).expect("changed");
    let before = account.prorations.clone();
    let ahead = prorated(CancelMode::AtDate, Some("2026-04-21"));
    account.cancel(1, day("2026-04-10"), &ahead).expect("scheduled");
    assert_ne!(account.prorations, before);
    account.resume(1, day("2026-04-11")).expect("taken back");
    assert_eq!(account.prorations, before);
    // Changed again and cut elsewhere: five days at 1.00, ten at 2.00, two at 3.00.
    account.change_plan(1, day("2026-04-16"), &to_price(9_000)).expect("changed");
    let earlier = prorated(CancelMode::AtDate, Some("2026-04-18"));
    account.cancel(1, day("2026-04-17"), &earlier).expect("scheduled");
    assert_eq!(billed(&mut account, "2026-04-17"), [500 + 2_000 + 600]);
}

#[test]
fn a_change_that_is_billed_before_its_term_is_given_back_with_the_cut() {
    let mut account = Account::default();
    account.begin(1, NewSubscription::monthly("2026-03-01", 3_100));
    account.change_plan(1, day("2026-04-01"), &to_price(6_000)).expect("changed");
    // March's document carries the change in April: 31.00, and 60.00 less 31.00 for 30 days.
    assert!(account.bill(day("2026-04-01")));
    let at_once = prorated(CancelMode::Immediately, None);
    account.cancel(1, day("2026-04-16"), &at_once).expect("canceled");
    while account.bill(day("2026-04-16")) {}
    account.documents.iter().for_each(check_document);
    assert_eq!(account.billed_minor() - account.open_credit(), 3_100 + 3_000);
}

#[test]
fn an_upgrade_is_billed_though_no_other_term_comes() {
    for cancel in [
        Cancel::default(),
        Cancel { mode: CancelMode::Immediately, ..Cancel::default() },
        Cancel { mode: CancelMode::AtDate, at: Some(day("2026-04-20")), ..Cancel::default() },
    ] {
        let mut account = Account::default();
        account.begin(1, NewSubscription::monthly("2026-04-01", 1_000));
        assert_eq!(billed(&mut account, "2026-04-01"), [1_000]);
        account.change_plan(1, day("2026-04-02"), &to_price(100_000)).expect("changed");
        assert!(!account.bill(day("2026-04-02")), "it waits for the next term");
        account.cancel(1, day("2026-04-02"), &cancel).expect("canceled");
        assert_eq!(billed(&mut account, "2026-05-01"), [95_700]);
        let document = account.documents.last().expect("a document");
        assert_eq!(document.lines[0].source, LineSource::Proration);
    }
}

#[test]
fn the_last_document_nets_what_was_charged_and_given_back() {
    let mut account = Account::default();
    let end_date = Some(day("2026-04-30"));
    account.begin(1, NewSubscription { end_date, ..NewSubscription::monthly("2026-04-01", 1_000) });
    account.change_plan(1, day("2026-04-02"), &to_price(100_000)).expect("changed");
    account.change_plan(1, day("2026-04-03"), &to_price(0)).expect("changed");
    // A day at 10.00 and one at 1,000.00: the credit is a discount, and a line below zero.
    assert_eq!(billed(&mut account, "2026-05-01"), [1_000 + 96_667 - 967 - 93_333]);
    let document = account.documents.last().expect("a document");
    assert_eq!(document.lines[0].amount_minor, 0);
    assert_eq!(account.open_credit(), 0);
}

#[test]
fn a_credit_alone_waits() {
    let mut account = Account::default();
    account.begin(1, NewSubscription::monthly("2026-04-01", 3_000));
    assert_eq!(billed(&mut account, "2026-04-01"), [3_000]);
    account.change_plan(1, day("2026-04-16"), &to_price(1_000)).expect("changed");
    account.cancel(1, day("2026-04-16"), &Cancel::default()).expect("canceled");
    assert_eq!(billed(&mut account, "2026-05-02"), [0; 0]);
    assert_eq!(account.open_credit(), 1_000);
}
