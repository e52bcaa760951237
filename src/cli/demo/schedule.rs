//! The demonstration's calendar, and by arithmetic of its own what the server must bill for
//! it: the terms with their month ends, and the proration of the plan change.

use actors::domain::time::Date;

/// The plan that starts with a trial and is anchored to a 31st, in minor units.
pub(super) const TEAM_PRICE: i64 = 49_00;
/// The add-on's price before and after its plan change, in minor units.
pub(super) const ADDON_PRICES: [i64; 2] = [20_00, 35_00];
/// The tax of both, in percent.
pub(super) const TAX_PERCENT: i64 = 21;
/// How many months the clock is advanced.
pub(super) const MONTHS: u32 = 12;

/// The days on which things happen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Schedule {
    /// The contract's first day, and the add-on's anchor.
    pub(super) today: Date,
    /// The first paid day of the team plan: the next 31st.
    pub(super) trial_end: Date,
    /// The day of the add-on's plan change: the eleventh of its fourth term.
    pub(super) change_day: Date,
    /// Where the clock stands in the end.
    pub(super) last_day: Date,
}

/// A term that must be billed once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Term {
    pub(super) start: Date,
    pub(super) end: Date,
    pub(super) price_minor: i64,
}

/// What a plan change costs for the rest of its term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proration {
    pub(super) days_left: i64,
    pub(super) days: i64,
    pub(super) credit_minor: i64,
    pub(super) charge_minor: i64,
}

impl Schedule {
    /// A year from `today`.
    pub(super) fn of_year_from(today: Date) -> Self {
        let mut trial_end = today.plus_days(1);
        while trial_end.parts().2 != 31 {
            trial_end = trial_end.plus_days(1);
        }
        let change_day = today.plus_months(3).plus_days(10);
        Self { today, trial_end, change_day, last_day: today.plus_months(MONTHS) }
    }

    /// The days the clock is advanced to, in order.
    pub(super) fn stops(&self) -> Vec<Date> {
        let mut stops: Vec<Date> =
            (1..=MONTHS).map(|month| self.today.plus_months(month)).collect();
        stops.push(self.change_day);
        stops.sort_unstable();
        stops
    }

    /// The team plan's terms begun by the last day, counted from the anchor itself.
    pub(super) fn team_terms(&self) -> Vec<Term> {
        let start = |n| self.trial_end.plus_months(n);
        (0..)
            .take_while(|n| start(*n) <= self.last_day)
            .map(|n| Term { start: start(n), end: start(n + 1), price_minor: TEAM_PRICE })
            .collect()
    }

    /// The add-on's terms: it is canceled at the end of the twelfth.
    pub(super) fn addon_terms(&self) -> Vec<Term> {
        let start = |n| self.today.plus_months(n);
        let price = |n| ADDON_PRICES[usize::from(start(n) > self.change_day)];
        (0..MONTHS)
            .map(|n| Term { start: start(n), end: start(n + 1), price_minor: price(n) })
            .collect()
    }

    /// The add-on's plan change, the day of the change counted as left (decisions 4).
    pub(super) fn proration(&self) -> Proration {
        let (start, end) = (self.today.plus_months(3), self.today.plus_months(4));
        let (days_left, days) = (end.days_since(self.change_day), end.days_since(start));
        let half_up = |price: i64| (price * days_left * 2 + days) / (days * 2);
        Proration {
            days_left,
            days,
            credit_minor: half_up(ADDON_PRICES[0]),
            charge_minor: half_up(ADDON_PRICES[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        Date::parse(text).expect("a day")
    }

    #[test]
    fn a_31st_never_moves() {
        let schedule = Schedule::of_year_from(day("2026-11-21"));
        assert_eq!(schedule.trial_end, day("2026-12-31"));
        let starts: Vec<String> =
            schedule.team_terms().iter().map(|term| term.start.to_string()).collect();
        assert_eq!(starts[..4], ["2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"]);
        assert_eq!(starts.last().map(String::as_str), Some("2027-10-31"));
        assert_eq!(schedule.addon_terms().len(), 12);
        assert_eq!(schedule.addon_terms()[3].price_minor, ADDON_PRICES[0]);
        assert_eq!(schedule.addon_terms()[4].price_minor, ADDON_PRICES[1]);
    }

    #[test]
    fn the_change_is_charged_for_the_days_left() {
        let proration = Schedule::of_year_from(day("2026-11-21")).proration();
        // 2027-02-21 to 2027-03-21 has 28 days; on 2027-03-03 18 of them are left.
        let expected =
            Proration { days_left: 18, days: 28, credit_minor: 12_86, charge_minor: 22_50 };
        assert_eq!(proration, expected);
    }

    #[test]
    fn every_stop_is_ahead_of_the_one_before_and_within_366_days() {
        for offset in 0..800 {
            let schedule = Schedule::of_year_from(day("2027-01-01").plus_days(offset));
            let stops = schedule.stops();
            assert_eq!(stops.len(), 13);
            assert!(stops.is_sorted_by(|a, b| a < b), "{stops:?}");
            assert!(schedule.trial_end.days_since(schedule.today) <= 62);
            assert!(schedule.change_day < schedule.today.plus_months(4));
        }
    }
}
