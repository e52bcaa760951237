use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::billing::pricing::{
    Allotment, Charge, Commitment, MajorPrice, PriceConfig, Rollover, Rounding, Scheme, UsageScheme,
};
use crate::domain::billing::subscription::{NewSubscription, Span, Subscription, create};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::usage::{Aggregation, Blocked, Measured, Units, late_cost};
use crate::domain::ids::{ContractId, CustomerId, SubscriptionId};
use crate::domain::money::Currency;
use crate::domain::testing::{FACTS, day};

fn subscription(id: u64, start: Date, trial_days: Option<i64>, end: Option<Date>) -> Subscription {
    let free = NewSubscription::monthly(&start.to_string(), 0);
    let new = NewSubscription { end_date: end, trial_days, ..free };
    let moment = Moment::of(None, start.start());
    let made = create(SubscriptionId(id), ContractId(1), CustomerId(1), new, &FACTS, moment);
    made.expect("a subscription").subscription
}

/// So many minor units a unit, with an allotment and a minimum.
fn price(version: u32, from: &str, minor: u32, included: u32, minimum: i64) -> PriceVersion {
    let cents = MajorPrice::parse(&format!("{}.{:02}", minor / 100, minor % 100));
    let allotment =
        Allotment { included_units: Quantity::whole(included), rollover: Rollover::Rollover };
    let scheme = UsageScheme {
        charge: Charge::PerUnit(cents.expect("a price")),
        allotment: Some(allotment),
        usage_cap: None,
    };
    let config = PriceConfig {
        currency: Currency::EUR,
        rounding: Rounding::HalfUp,
        scheme: Scheme::Units(scheme),
        commitment: Commitment::new(Some(minimum), None).expect("a commitment"),
    };
    let effective_from = day(from);
    let created_at = effective_from.start();
    PriceVersion { version, effective_from, config, created_at, unrated: true }
}

/// What is used of a metric, by day.
type Usage = BTreeMap<Date, u32>;

fn reading(usage: &Usage, span: Span) -> Reading {
    let mut total = UsageTotal::default();
    for (day, units) in usage.range(span.start..span.end) {
        total.add(measured(*day, *units));
    }
    Reading::of_events(&total)
}

fn measured(on: Date, units: u32) -> Measured {
    Measured {
        version: 1,
        aggregation: Aggregation::Sum,
        quantity: Units::whole(u64::from(units)),
        at: on.start(),
        value: None,
        times: 1,
    }
}

/// Closes what is over on a day, as the room does, and answers the lines.
fn close(
    row: &mut MeterRow,
    coverage: &Coverage,
    prices: &[PriceVersion],
    usage: &Usage,
    today: Date,
) -> Vec<UsageLine> {
    let metric = MetricName::parse("m").expect("a name");
    let mut lines = Vec::new();
    loop {
        let due = due_periods(coverage, row, prices).next();
        let Some(due) = due.filter(|due| due.period.span.end <= today) else { return lines };
        let reading = reading(usage, due.period.span);
        let now = Date::parse("2027-01-01").expect("a date").start();
        let line = due.close(UsageLineId(1), &metric, row, reading, now).expect("rated");
        row.take(&line);
        lines.push(line);
    }
}

fn shown(lines: &[UsageLine]) -> Vec<(String, String, i64, u32)> {
    let rows = lines.iter().map(|line| {
        let span = format!("{}..{}", line.span.start, line.span.end);
        let (amount, version) = (line.amount_minor(), line.breakdown.price_version);
        (span, line.quantity.to_string(), amount, version)
    });
    rows.collect()
}

fn line(span: &str, used: &str, amount: i64, version: u32) -> (String, String, i64, u32) {
    (span.to_owned(), used.to_owned(), amount, version)
}

#[test]
fn each_period_is_rated_by_the_price_of_its_first_day() {
    let sub = subscription(1, day("2026-01-01"), None, None);
    let coverage = Coverage::of(std::iter::once(&sub));
    // Version 2 takes effect inside February, which version 1 rates; 4 stands above 3.
    let prices = [
        price(1, "2026-01-20", 10, 0, 0),
        price(2, "2026-02-10", 20, 0, 0),
        price(3, "2026-04-01", 30, 0, 0),
        price(4, "2026-04-01", 40, 0, 0),
    ];
    let usage = Usage::from([
        (day("2025-12-31"), 1_000),
        (day("2026-01-31"), 1),
        (day("2026-02-01"), 2),
        (day("2026-02-28"), 3),
        (day("2026-04-30"), 7),
    ]);
    let mut row = MeterRow::default();
    let lines = close(&mut row, &coverage, &prices, &usage, day("2026-05-01"));
    let expected = [
        line("2026-01-01..2026-02-01", "1", 10, 1),
        line("2026-02-01..2026-03-01", "5", 50, 1),
        line("2026-03-01..2026-04-01", "0", 0, 2),
        line("2026-04-01..2026-05-01", "7", 280, 4),
    ];
    assert_eq!(shown(&lines), expected);
    assert_eq!(row.closed, [Span { start: day("2026-01-01"), end: day("2026-05-01") }]);
    assert_eq!(next_due(&coverage, &row, &prices), Some(day("2026-06-01")));
}

#[test]
fn a_period_without_a_price_waits_for_one() {
    let sub = subscription(1, day("2026-01-01"), None, None);
    let coverage = Coverage::of(std::iter::once(&sub));
    let usage = Usage::from([(day("2026-01-05"), 5), (day("2026-03-05"), 6)]);
    let mut row = MeterRow::default();
    assert!(close(&mut row, &coverage, &[], &usage, day("2026-04-01")).is_empty());
    assert_eq!(next_due(&coverage, &row, &[]), None);
    let late = [price(1, "2026-03-01", 10, 0, 0)];
    let lines = close(&mut row, &coverage, &late, &usage, day("2026-04-01"));
    assert_eq!(shown(&lines), [line("2026-03-01..2026-04-01", "6", 60, 1)]);
    // A price for the time before arrives: what is closed is not rated again.
    let prices = [late[0].clone(), price(2, "2026-01-01", 20, 0, 0)];
    let lines = close(&mut row, &coverage, &prices, &usage, day("2026-04-01"));
    let expected =
        [line("2026-01-01..2026-02-01", "5", 100, 2), line("2026-02-01..2026-03-01", "0", 0, 2)];
    assert_eq!(shown(&lines), expected);
    assert_eq!(row.closed.len(), 1);
}

#[test]
fn a_trial_costs_nothing_and_leaves_nothing() {
    let sub = subscription(1, day("2026-01-01"), Some(10), Some(day("2026-02-14")));
    let coverage = Coverage::of(std::iter::once(&sub));
    let prices = [price(1, "2026-01-01", 10, 100, 50)];
    let usage = Usage::from([(day("2026-01-05"), 40), (day("2026-01-20"), 130)]);
    let mut row = MeterRow::default();
    let lines = close(&mut row, &coverage, &prices, &usage, day("2026-06-01"));
    let expected = [
        line("2026-01-01..2026-01-11", "40", 0, 1),
        line("2026-01-11..2026-02-11", "130", 300, 1),
        line("2026-02-11..2026-02-15", "0", 50, 1),
    ];
    assert_eq!(shown(&lines), expected);
    assert!(lines[0].trial && lines[2].lapses);
    assert_eq!((lines[1].rolled_in, row.carried.len()), (Quantity::ZERO, 0));
    assert_eq!(next_due(&coverage, &row, &prices), None);
}

#[test]
fn an_allotment_rolls_into_the_next_period_of_its_subscription_alone() {
    let first = subscription(1, day("2026-01-01"), None, Some(day("2026-02-28")));
    let second = subscription(2, day("2026-01-01"), None, None);
    let coverage = Coverage::of([&first, &second].into_iter());
    let prices = [price(1, "2026-01-01", 10, 100, 0)];
    let usage = Usage::from([(day("2026-01-05"), 30), (day("2026-03-05"), 130)]);
    let mut row = MeterRow::default();
    let lines = close(&mut row, &coverage, &prices, &usage, day("2026-05-01"));
    let rolled: Vec<_> = lines.iter().map(|line| line.rolled_in.to_string()).collect();
    // January leaves 70 to February, which leaves 100 that lapse: March has another subscription.
    assert_eq!(rolled, ["0", "70", "0", "0"]);
    assert_eq!(lines.iter().map(UsageLine::amount_minor).collect::<Vec<_>>(), [0, 0, 300, 0]);
    assert_eq!(row.carried.len(), 1, "April's, for May");
}

#[test]
fn seats_are_charged_by_the_days_of_the_whole_term() {
    let sub = subscription(1, day("2026-01-01"), None, Some(day("2026-01-10")));
    let coverage = Coverage::of(std::iter::once(&sub));
    let seat = MajorPrice::parse("31").expect("a price");
    let config =
        PriceConfig { scheme: Scheme::Seats(seat), ..price(1, "2026-01-01", 0, 0, 0).config };
    let prices = [PriceVersion { config, ..price(1, "2026-01-01", 0, 0, 0) }];
    let (row, seats) = (MeterRow::default(), Seats::default());
    let due = due_periods(&coverage, &row, &prices).next().expect("a period");
    let reading = Reading::of_seats(&seats, &due.period, due.period.span.end);
    let now = day("2026-02-01").start();
    let line = due.close(UsageLineId(1), &MetricName::seats(), &row, reading, now).expect("rated");
    assert_eq!((line.amount_minor(), line.quantity), (0, Quantity::ZERO));
    let reading = Reading {
        used: PeriodUsage::Seats { seat_days: 20, period_days: due.period.term.days() },
        events: 0,
        overflowed: false,
        versions: Vec::new(),
    };
    let line = due.close(UsageLineId(1), &MetricName::seats(), &row, reading, now).expect("rated");
    assert_eq!(line.amount_minor(), 2_000);
}

/// Periods of several subscriptions, prices over time, and usage.
#[derive(Debug, Clone)]
struct History {
    subscriptions: Vec<(i64, Option<i64>, Option<i64>)>,
    prices: Vec<(i64, u32, u32, i64)>,
    usage: Vec<(i64, u32)>,
}

fn histories() -> impl Strategy<Value = History> {
    let subscriptions = proptest::collection::vec(
        (0..120_i64, proptest::option::of(1..40_i64), proptest::option::of(60..200_i64)),
        1..4,
    );
    let prices = proptest::collection::vec((0..200_i64, 1..50_u32, 0..60_u32, 0..500_i64), 0..4);
    let usage = proptest::collection::vec((0..300_i64, 0..40_u32), 0..60);
    (subscriptions, prices, usage).prop_map(|(subscriptions, prices, usage)| History {
        subscriptions,
        prices,
        usage,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Against the two months as they would have been with all of it in time.
    #[test]
    fn what_comes_late_costs_as_much_as_in_time_while_the_period_behind_is_open(
        january in 0..200_u32,
        late in proptest::collection::vec(1..80_u32, 0..5),
        february in 0..300_u32,
        included in 0..150_u32,
    ) {
        let sub = subscription(1, day("2026-01-01"), None, None);
        let coverage = Coverage::of(std::iter::once(&sub));
        let prices = [price(1, "2026-01-01", 10, included, 0)];
        let on = day("2026-01-05");
        let usage = Usage::from([(on, january), (day("2026-02-05"), february)]);
        let mut row = MeterRow::default();
        let mut lines = close(&mut row, &coverage, &prices, &usage, day("2026-02-10"));
        let (mut total, mut charged) = (UsageTotal::default(), 0);
        total.add(measured(on, january));
        for units in &late {
            let event = measured(on, *units);
            let cost = late_cost(&lines[0], &prices[0], &mut total, event).expect("rated");
            charged += cost.amount_minor;
            row.use_carried(&lines[0], cost.allotment);
        }
        lines.extend(close(&mut row, &coverage, &prices, &usage, day("2026-03-10")));
        charged += lines.iter().map(UsageLine::amount_minor).sum::<i64>();
        let used = january + late.iter().sum::<u32>();
        let left = included.saturating_sub(used);
        let beyond = used.saturating_sub(included) + february.saturating_sub(included + left);
        prop_assert_eq!((lines.len(), charged), (2, 10 * i64::from(beyond)));
        prop_assert_eq!(lines[1].rolled_in, Quantity::whole(left));
    }

    #[test]
    fn closing_day_by_day_is_closing_at_once_and_what_a_calculator_says(history in histories()) {
        let start = day("2026-01-01");
        let mut subs = Vec::new();
        for (number, (first, trial, end)) in history.subscriptions.iter().enumerate() {
            let first = start.plus_days(*first);
            let end = end.map(|days| first.plus_days(days));
            subs.push(subscription(number as u64 + 1, first, *trial, end));
        }
        let coverage = Coverage::of(subs.iter());
        let mut prices = Vec::new();
        for (number, (from, minor, included, minimum)) in history.prices.iter().enumerate() {
            let from = start.plus_days(*from).to_string();
            prices.push(price(number as u32 + 1, &from, *minor, *included, *minimum));
        }
        let mut usage = Usage::new();
        for (on, units) in &history.usage {
            *usage.entry(start.plus_days(*on)).or_default() += units;
        }
        let (mut daily, mut by_day) = (MeterRow::default(), Vec::new());
        for number in 0..=300 {
            let today = start.plus_days(number);
            by_day.extend(close(&mut daily, &coverage, &prices, &usage, today));
        }
        let (mut row, end) = (MeterRow::default(), start.plus_days(300));
        let at_once = close(&mut row, &coverage, &prices, &usage, end);
        prop_assert_eq!(&by_day, &at_once);
        prop_assert_eq!(daily, row);

        // By hand, in whole units and minor units.
        let mut expected = Vec::new();
        let mut left: Option<(SubscriptionId, Date, i64)> = None;
        for period in coverage.periods().take_while(|period| period.span.end <= end) {
            let known = |day: Date| {
                let begun = history.prices.iter().enumerate();
                begun.filter(|(_, price)| start.plus_days(price.0) <= day)
                    .max_by_key(|(number, price)| (price.0, *number))
            };
            let found = known(period.span.start).or_else(|| {
                (0..period.span.days()).find_map(|days| known(period.span.start.plus_days(days)))
            });
            let Some((number, (_, minor, included, minimum))) = found else { continue };
            let used: i64 = usage.range(period.span.start..period.span.end)
                .map(|(_, units)| i64::from(*units)).sum();
            let rolled = left.take().map_or(0, |(of, into, units)| {
                if of == period.subscription && into == period.span.start { units } else { 0 }
            });
            let after = (used - rolled).max(0);
            let billable = (after - i64::from(*included)).max(0);
            let amount = if period.trial { 0 } else { (billable * i64::from(*minor)).max(*minimum) };
            if !period.trial {
                left = Some((period.subscription, period.span.end, (i64::from(*included) - after).max(0)));
            }
            expected.push((period.span, used.to_string(), amount, number as u32 + 1));
        }
        let rows: Vec<_> = at_once.iter().map(|line| {
            (line.span, line.quantity.to_string(), line.amount_minor(), line.breakdown.price_version)
        }).collect();
        prop_assert_eq!(rows, expected);
    }
}

#[test]
fn what_was_left_to_a_period_that_never_came_is_dropped() {
    let prices = [price(1, "2026-01-01", 10, 100, 0)];
    let (mut row, metric) = (MeterRow::default(), MetricName::parse("m").expect("a name"));
    // Each is paused before its second month, and the next begins long after.
    for (id, from) in [(1, "2026-01-01"), (2, "2026-06-01"), (3, "2026-12-01")] {
        let sub = subscription(id, day(from), None, None);
        let coverage = Coverage::of(std::iter::once(&sub));
        let due = due_periods(&coverage, &row, &prices).next().expect("a period");
        let used = reading(&Usage::new(), due.period.span);
        let now = day("2027-01-01").start();
        let line = due.close(UsageLineId(id), &metric, &row, used, now).expect("rated");
        row.take(&line);
        let left: Vec<_> = row.carried.iter().map(|left| left.subscription.0).collect();
        assert_eq!(left, [id]);
    }
    // One that stays open may use it yet.
    let into = row.carried[0].into;
    let span = Span { start: into, end: into.plus_days(31) };
    row.blocked.push(Blocked::of(span, "an amount".to_owned(), None, into.start()));
    let sub = subscription(4, day("2027-06-01"), None, None);
    let coverage = Coverage::of(std::iter::once(&sub));
    let lines = close(&mut row, &coverage, &prices, &Usage::new(), day("2027-07-01"));
    assert_eq!((lines.len(), row.carried.len()), (1, 2));
}
