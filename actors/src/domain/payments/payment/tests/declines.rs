//! Cards that are turned down at a payment link.

use super::fixtures::{at, of_invoice, start};
use super::*;
use crate::domain::payments::failure::FailureCode;

/// An attempt that was begun at a second and turned down ten later.
fn attempt(second: i64, code: FailureCode) -> Payment {
    let payment = start(of_invoice()).payment;
    Payment {
        status: PaymentStatus::Failed,
        failure: Some(code.into()),
        created_at: at(second),
        updated_at: at(second + 10),
        ..payment
    }
}

fn rests(now: i64, attempts: &[Payment]) -> Option<Timestamp> {
    let mut declines = Declines::at(at(now));
    for attempt in attempts {
        declines.count(attempt);
    }
    declines.rests_until()
}

#[test]
fn ten_declines_within_an_hour_rest_the_link_until_the_first_is_an_hour_old() {
    let all: Vec<_> = (0..10).rev().map(|nth| attempt(nth * 60, FailureCode::Declined)).collect();
    assert_eq!(rests(600, &all[1..]), None, "nine");
    assert_eq!(rests(600, &all), Some(at(10 + 3600)));
    assert_eq!(rests(3609, &all), Some(at(3610)));
    assert_eq!(rests(3610, &all), None, "nine are left");
    let more: Vec<_> = [attempt(700, FailureCode::AddressMismatch)]
        .into_iter()
        .chain(all.iter().cloned())
        .collect();
    assert_eq!(rests(710, &more), Some(at(70 + 3600)), "the tenth from the newest");
}

#[test]
fn what_is_no_decline_does_not_count() {
    let busy: Vec<_> = (0..20).map(|nth| attempt(nth, FailureCode::ProviderTimeout)).collect();
    assert_eq!(rests(60, &busy), None);
}

#[test]
fn attempts_of_long_ago_end_the_look_back() {
    let mut declines = Declines::at(at(7200));
    assert!(declines.count(&attempt(1, FailureCode::Declined)));
    assert!(!declines.count(&attempt(0, FailureCode::Declined)));
}
