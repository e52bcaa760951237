//! Closed periods by another configuration.

use rust_decimal::Decimal;

use super::fixtures::{day, priced};
use crate::domain::billing::pricing::{
    BackTested, ClosedPeriod, EvaluationRefusal, MAX_TESTED_PERIODS, PeriodUsage, PriceConfig,
    RatingRefusal, back_test,
};
use crate::domain::billing::subscription::Span;
use crate::domain::ids::SubscriptionId;

fn period(start: &str, end: &str, units: u32) -> ClosedPeriod {
    ClosedPeriod {
        span: Span { start: day(start), end: day(end) },
        subscription: SubscriptionId(1),
        usage: PeriodUsage::Units { quantity: Decimal::from(units), any_event: units > 0 },
        trial: false,
        lapses: false,
        billed_minor: 1_000,
    }
}

fn months(units: [u32; 3]) -> [ClosedPeriod; 3] {
    [
        period("2026-01-01", "2026-02-01", units[0]),
        period("2026-02-01", "2026-03-01", units[1]),
        period("2026-03-01", "2026-04-01", units[2]),
    ]
}

/// All of the time there is.
fn ever() -> Span {
    Span { start: day("1970-01-01"), end: day("9999-12-31") }
}

fn test_all(
    config: &PriceConfig,
    periods: &[ClosedPeriod],
) -> Result<Vec<BackTested>, EvaluationRefusal> {
    back_test(config, periods, ever())
}

fn amounts(tested: &[BackTested]) -> Vec<i64> {
    tested.iter().map(|one| one.rating.amount_minor).collect()
}

#[test]
fn each_period_shows_billed_would_be_and_the_difference() {
    let config = priced("per_unit", "1").committed(Some(500), None).right();
    let tested = test_all(&config, &months([15, 10, 0])).expect("amounts");
    assert_eq!(amounts(&tested), [1_500, 1_000, 500]);
    let differences: Vec<_> = tested.iter().map(BackTested::difference_minor).collect();
    assert_eq!(differences, [500, 0, -500]);
}

#[test]
fn units_roll_over_to_the_next_period_of_one_subscription_alone() {
    let config = priced("per_unit", "1").including("10", "rollover").right();
    let test = |periods: &[ClosedPeriod]| amounts(&test_all(&config, periods).expect("amounts"));
    // 6 are left of the first; they go first, so 3 are left of the second.
    assert_eq!(test(&months([4, 13, 12])), [0, 0, 0]);
    assert_eq!(test(&months([4, 17, 12])), [0, 100, 200]);
    let mut cut = months([4, 17, 12]);
    cut[0].lapses = true;
    assert_eq!(test(&cut), [0, 700, 200]);
    let mut other = months([4, 17, 12]);
    other[1].subscription = SubscriptionId(2);
    assert_eq!(test(&other), [0, 700, 200]);
    let mut trial = months([4, 17, 12]);
    trial[0].trial = true;
    assert_eq!(test(&trial), [0, 700, 200]);
    let [first, _, third] = months([4, 0, 17]);
    assert_eq!(test(&[first, third]), [0, 700]);
}

#[test]
fn seats_are_tested_by_seats_only() {
    let mut periods = months([0, 0, 0]);
    for period in &mut periods {
        period.usage = PeriodUsage::Seats { seat_days: 60, period_days: 30 };
    }
    let seats = priced("per_seat", "4").right();
    assert_eq!(amounts(&test_all(&seats, &periods).expect("amounts")), [800, 800, 800]);
    let units = priced("per_unit", "4").right();
    assert_eq!(test_all(&units, &periods), Err(RatingRefusal::NotPerSeat.into()));
}

#[test]
fn a_period_beyond_all_bounds_is_named() {
    let config = priced("per_unit", "10000000000000").right();
    let refusal = test_all(&config, &months([1, 2, 3])).expect_err("too large");
    assert_eq!(refusal, EvaluationRefusal::PeriodTooLarge(day("2026-02-01")));
}

#[test]
fn what_lies_before_is_rated_for_what_it_leaves_and_not_shown() {
    let days = |start: &str, end: &str| Span { start: day(start), end: day(end) };
    let periods = months([4, 13, 12]);
    let shown = |config: &PriceConfig, span: Span| {
        let tested = back_test(config, &periods, span).expect("amounts");
        let starts: Vec<_> = tested.iter().map(|one| one.period.span.start.to_string()).collect();
        (starts.join(" "), amounts(&tested))
    };
    let rolling = priced("per_unit", "1").including("10", "rollover").right();
    let lapsing = priced("per_unit", "1").including("10", "none").right();
    // 3 are left of February, which had 6 of January.
    let march = days("2026-03-01", "2026-03-02");
    assert_eq!(shown(&rolling, march), ("2026-03-01".to_owned(), vec![0]));
    assert_eq!(shown(&lapsing, march), ("2026-03-01".to_owned(), vec![200]));
    let two = days("2026-01-02", "2026-03-02");
    assert_eq!(shown(&lapsing, two), ("2026-02-01 2026-03-01".to_owned(), vec![300, 200]));
    assert_eq!(shown(&rolling, days("2026-02-02", "2026-03-01")), (String::new(), vec![]));
    // An amount beyond all bounds counts only where it is of use.
    let dear = priced("per_unit", "1000000000000").right();
    let small = months([11, 3, 0]);
    assert_eq!(back_test(&dear, &small, march).map(|tested| amounts(&tested)), Ok(vec![0]));
    let refused = back_test(&dear, &small, days("2026-01-01", "2026-03-02")).err();
    assert_eq!(refused, Some(EvaluationRefusal::PeriodTooLarge(day("2026-01-01"))));
}

#[test]
fn no_more_periods_are_shown_than_add_up() {
    let first = day("2020-01-01");
    let daily = |index| {
        let span = Span { start: first.plus_days(index), end: first.plus_days(index + 1) };
        ClosedPeriod { span, ..months([1, 0, 0])[0] }
    };
    let periods: Vec<_> = (0..=1_000).map(daily).collect();
    let config = priced("per_unit", "10000000000000").right();
    assert_eq!(test_all(&config, &periods), Err(EvaluationRefusal::Periods));
    let most = test_all(&config, &periods[1..]).expect("amounts");
    assert_eq!(most.len(), MAX_TESTED_PERIODS);
    assert_eq!(amounts(&most).iter().sum::<i64>(), 1_000_000_000_000_000_000);
}
