//! Term starts against a calendar that is walked day by day.

use proptest::prelude::*;

use super::*;

fn days_of_month(year: i32, month: u32) -> u32 {
    let leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Walks from `anchor` and lists the days on which a term begins.
fn walked(anchor: (i32, u32, u32), frequency: Frequency, days: u32) -> Vec<(i32, u32, u32)> {
    let (mut year, mut month, mut date) = anchor;
    let mut starts = Vec::new();
    for passed in 0..days {
        let due = match frequency {
            Frequency::Weekly => passed % 7 == 0,
            other => {
                let every = other.months().expect("months") as i32;
                let months = (year - anchor.0) * 12 + month as i32 - anchor.1 as i32;
                months % every == 0 && date == anchor.2.min(days_of_month(year, month))
            }
        };
        if due {
            starts.push((year, month, date));
        }
        date += 1;
        if date > days_of_month(year, month) {
            (date, month) = (1, month + 1);
        }
        if month > 12 {
            (month, year) = (1, year + 1);
        }
    }
    starts
}

fn any_frequency() -> impl Strategy<Value = Frequency> {
    prop::sample::select(Frequency::ALL)
}

fn any_anchor() -> impl Strategy<Value = (i32, u32, u32)> {
    (1970..2150, 1_u32..=12, 1_u32..=31)
        .prop_map(|(year, month, date)| (year, month, date.min(days_of_month(year, month))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn terms_begin_where_a_walker_finds_them(anchor in any_anchor(), frequency in any_frequency()) {
        let start = Date::new(anchor.0, anchor.1, anchor.2).expect("a day");
        let schedule = Schedule::anchored(start, frequency);
        let starts = walked(anchor, frequency, 15_000);
        for (n, expected) in starts.iter().enumerate() {
            prop_assert_eq!(schedule.term_start(n as u32).parts(), *expected, "term {}", n);
        }
        for (n, window) in starts.windows(2).enumerate() {
            let [first, next] = [window[0], window[1]].map(|(y, m, d)| Date::new(y, m, d).unwrap());
            for inside in [first, first.plus_days(1), next.plus_days(-1)] {
                prop_assert_eq!(schedule.term_number(inside), n as u32, "{}", inside);
            }
            prop_assert_eq!(schedule.covering(next.plus_days(-1)), Span { start: first, end: next });
            prop_assert_eq!(schedule.boundary_from(first), first);
            prop_assert_eq!(schedule.boundary_from(first.plus_days(1)), next);
        }
    }

    #[test]
    fn a_new_frequency_in_months_keeps_the_day(
        anchor in any_anchor(),
        changed in 1_u32..40,
        (old, new) in (
            prop::sample::select(&Frequency::ALL[1..]),
            prop::sample::select(&Frequency::ALL[1..]),
        ),
    ) {
        let start = Date::new(anchor.0, anchor.1, anchor.2).expect("a day");
        let before = Schedule::anchored(start, old);
        let boundary = before.term_start(changed);
        let after = before.followed_by(boundary, new);
        prop_assert_eq!(after.term_start(0), boundary);
        for n in 1..40 {
            let (year, month, date) = after.term_start(n).parts();
            prop_assert_eq!(date, anchor.2.min(days_of_month(year, month)));
        }
    }
}

#[test]
fn a_short_month_never_moves_the_anchor() {
    let schedule = Schedule::anchored(day("2026-01-31"), Frequency::Monthly);
    let starts: Vec<_> = (0..4).map(|n| schedule.term_start(n).to_string()).collect();
    assert_eq!(starts, ["2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30"]);
    let yearly = Schedule::anchored(day("2024-02-29"), Frequency::Annual);
    assert_eq!(yearly.term_start(1), day("2025-02-28"));
    assert_eq!(yearly.term_start(4), day("2028-02-29"));
}

#[test]
fn months_after_weeks_count_from_the_change() {
    let weekly = Schedule::anchored(day("2026-01-05"), Frequency::Weekly);
    let monthly = weekly.followed_by(day("2026-01-26"), Frequency::Monthly);
    assert_eq!(monthly.term(0), Span { start: day("2026-01-26"), end: day("2026-02-26") });
}
