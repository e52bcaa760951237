use proptest::prelude::*;

use super::*;

const EUR: Currency = Currency::EUR;

fn date(text: &str) -> Date {
    Date::parse(text).expect("a date")
}

/// What a subscription brings from a day on, day by day from the first of January.
type Course = Vec<(u16, i64)>;

fn course() -> impl Strategy<Value = Course> {
    let step = (0..420_u16, prop_oneof![Just(0), 1..1_000_i64]);
    prop::collection::vec(step, 0..12).prop_map(|mut steps| {
        steps.sort_by_key(|(day, _)| *day);
        steps
    })
}

fn day(number: u16) -> Date {
    date("2027-01-01").plus_days(i64::from(number))
}

/// What a course brings at the end of a day.
fn brings(course: &Course, on: Date) -> i64 {
    course.iter().take_while(|(number, _)| day(*number) <= on).last().map_or(0, |(_, minor)| *minor)
}

proptest! {
    /// Against each subscription looked at by itself at both ends of every month.
    #[test]
    fn movements_lead_from_month_to_month(courses in prop::collection::vec(course(), 1..8)) {
        let mut gathering = Gathering::new(Month::of(date("2028-02-25")), 12);
        let (mut moves, mut recurring) = (Vec::new(), 0);
        for (id, course) in (1..).zip(&courses) {
            let mut before = 0;
            for (number, after) in course {
                let moved = RecurringMove {
                    subscription: SubscriptionId(id),
                    currency: EUR,
                    before_minor: before,
                    after_minor: *after,
                };
                moves.push((*number, moved));
                before = *after;
            }
            recurring += i128::from(before);
        }
        let sums = HashMap::from([(SumOf::Recurring(EUR), recurring)]);
        gathering.sums(&sums, None, date("2028-02-25"));
        moves.sort_by_key(|(number, _)| *number);
        for (number, moved) in &moves {
            gathering.moved(day(*number), moved);
        }
        let overview = gathering.finish();
        for found in &overview.currencies {
            prop_assert_eq!(found.months.len(), 12);
            for (place, figures) in found.months.iter().enumerate() {
                let begins = date("2027-03-01").plus_months(u32::try_from(place).expect("few"));
                let (before, after) = (begins.plus_days(-1), begins.plus_months(1).plus_days(-1));
                let (mut new, mut more, mut less, mut gone, mut all) = (0, 0, 0, 0, 0);
                for course in &courses {
                    let (was, is) = (brings(course, before), brings(course, after));
                    all += is;
                    match (was, is) {
                        (0, is) => new += is,
                        (was, 0) => gone += was,
                        (was, is) => {
                            more += (is - was).max(0);
                            less += (was - is).max(0);
                        }
                    }
                }
                prop_assert_eq!(figures.month, Month::of(begins));
                prop_assert_eq!(figures.recurring_minor, all);
                prop_assert_eq!((figures.new_minor, figures.churned_minor), (new, gone));
                prop_assert_eq!((figures.expansion_minor, figures.contraction_minor), (more, less));
            }
            prop_assert_eq!(found.recurring_minor, found.months[11].recurring_minor);
        }
    }
}

#[test]
fn what_is_outstanding_has_the_age_of_its_due_date() {
    for (days, expected) in
        [(-5, 0), (0, 0), (1, 1), (30, 1), (31, 2), (60, 2), (61, 3), (90, 3), (91, 4), (900, 4)]
    {
        let mut outstanding = Outstanding::default();
        *outstanding.of_age(days) += 7;
        let Outstanding { not_due_minor, to_30_minor, to_60_minor, to_90_minor, older_minor } =
            outstanding;
        let ages = [not_due_minor, to_30_minor, to_60_minor, to_90_minor, older_minor];
        let place = ages.iter().position(|minor| *minor == 7);
        assert_eq!(place, Some(expected), "{days} days");
    }
}

#[test]
fn a_month_is_written_with_two_digits_and_steps_over_years() {
    let month = Month::of(date("2027-02-28"));
    assert_eq!(month.to_string(), "2027-02");
    assert_eq!(month.minus(2).to_string(), "2026-12");
    assert_eq!(month.start(), date("2027-02-01"));
}
