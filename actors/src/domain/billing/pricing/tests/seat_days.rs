//! Seats by the day.

use super::fixtures::{priced, used};
use crate::domain::billing::pricing::{Basis, RatingRefusal, UsageBreakdown, rate, rate_seats};

#[test]
fn seats_cost_their_share_of_the_period_rounded_once() {
    for (price, rounding, days, of, minor) in [
        ("10", "half_up", 0, 30, 0),
        ("10", "half_up", 150, 30, 5_000),
        ("10", "half_up", 1, 30, 33),
        ("10", "up", 1, 30, 34),
        ("10", "half_up", 2, 30, 67),
        ("10", "down", 2, 30, 66),
        ("0.15", "half_even", 1, 30, 0),
        ("0.45", "half_even", 1, 30, 2),
        ("0.45", "half_up", 1, 30, 2),
        // A cut period divides by the days of the whole term.
        ("31", "half_up", 10, 31, 1_000),
        ("9.99", "half_up", 7 * 365, 365, 6_993),
    ] {
        let config = priced("per_seat", price).rounded(rounding).right();
        let rating = rate_seats(&config, days, of, false).expect("an amount");
        assert_eq!(rating.amount_minor, minor, "{days}/{of} × {price} {rounding}");
    }
}

#[test]
fn minimum_and_spend_cap_hold_and_a_trial_is_free() {
    let config = priced("per_seat", "10").committed(Some(500), Some(2_000)).right();
    let amount = |days, trial| rate_seats(&config, days, 30, trial).expect("an amount");
    assert_eq!(amount(0, false).amount_minor, 500);
    assert!(amount(0, false).flags.minimum_applied);
    assert_eq!(amount(30, false).amount_minor, 1_000);
    assert_eq!(amount(90, false).amount_minor, 2_000);
    assert!(amount(90, false).flags.spend_cap_applied);
    assert_eq!(amount(90, true).amount_minor, 0);
    let dear = priced("per_seat", "999999999999999").right();
    assert_eq!(rate_seats(&dear, i64::MAX, 1, false), Err(RatingRefusal::TooLarge));
}

#[test]
fn a_person_reads_days_equivalents_and_the_formula() {
    let config = priced("per_seat", "10").committed(Some(1), None).right();
    let rating = rate_seats(&config, 100, 30, false).expect("an amount");
    let Basis::Seats(seats) = &rating.basis else { panic!("no seats") };
    assert_eq!((seats.seat_days, seats.period_days), (100, 30));
    assert_eq!(seats.equivalents().to_string(), "3.333333333");
    let breakdown = UsageBreakdown { price_version: 2, rating };
    let formula = "unitPrice × seatDays / periodDays, rounded half_up to minor units, at least \
                   minimumMinor";
    assert_eq!(breakdown.formula(), formula);
    let kept = storage::cbor_encode(&breakdown);
    assert_eq!(storage::cbor_decode::<UsageBreakdown>(&kept).expect("the same"), breakdown);
}

#[test]
fn seats_and_units_are_not_rated_by_each_others_schemes() {
    let (seat, unit) = (priced("per_seat", "1").right(), priced("per_unit", "1").right());
    assert_eq!(rate(&seat, &used("1")), Err(RatingRefusal::PerSeat));
    assert_eq!(rate_seats(&unit, 1, 30, false), Err(RatingRefusal::NotPerSeat));
}
