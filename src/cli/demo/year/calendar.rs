//! The calendar of the year, and by arithmetic of its own what the server must bill for it: the
//! terms with their month ends, and the proration of the plan change.

use actors::domain::time::Date;
use serde_json::{Value, json};

/// The plan that starts with a trial and is anchored to a 31st, in minor units.
const TEAM_PRICE: i64 = 49_00;
/// The add-on's price before and after its plan change, in minor units.
const ADDON_PRICES: [i64; 2] = [20_00, 35_00];
const TAX_PERCENT: i64 = 21;
const MONTHS: u32 = 12;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Calendar {
    /// The contract's first day, and the add-on's anchor.
    today: Date,
    /// The first paid day of the team plan: the next 31st.
    trial_end: Date,
    /// The day of the add-on's plan change: the eleventh of its fourth term.
    change_day: Date,
    /// The day on which the add-on is canceled to the end of its term.
    cancel_day: Date,
    last_day: Date,
}

/// A term that must be billed once: its first day, the day after its last, its price.
type Term = (Date, Date, i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Proration {
    days_left: i64,
    days: i64,
    credit_minor: i64,
    charge_minor: i64,
}

impl Calendar {
    pub(crate) fn of_year_from(today: Date) -> Self {
        let days = (1..).map(|days| today.plus_days(days));
        Self {
            today,
            trial_end: days.take(62).find(|day| day.parts().2 == 31).unwrap_or(today),
            change_day: today.plus_months(3).plus_days(10),
            cancel_day: today.plus_months(MONTHS - 1),
            last_day: today.plus_months(MONTHS),
        }
    }

    pub(crate) fn data(&self) -> Value {
        let stop = |day: Date| {
            let event = match day {
                day if day == self.change_day => "change",
                day if day == self.cancel_day => "cancel",
                _ => "",
            };
            json!({"to": day.start().plus_seconds(12 * 3600).to_string(), "event": event})
        };
        let Proration { days_left, days, credit_minor, charge_minor } = self.proration();
        let terms = self.terms();
        json!({
            "today": self.today, "trialEnd": self.trial_end,
            "stops": self.stops().into_iter().map(stop).collect::<Vec<_>>(),
            "teamPrice": TEAM_PRICE, "addonPrices": ADDON_PRICES, "taxPercent": TAX_PERCENT,
            "daysLeft": days_left, "days": days, "credit": credit_minor, "charge": charge_minor,
            "planChange": charge_minor - credit_minor,
            // The first term of each plan begins with its start or its trial's end.
            "renewals": terms.len() - 2,
            "terms": terms,
        })
    }

    fn stops(&self) -> Vec<Date> {
        let months = (1..=MONTHS).map(|month| self.today.plus_months(month));
        let mut stops: Vec<Date> = months.chain([self.change_day]).collect();
        stops.sort_unstable();
        stops
    }

    /// The terms of both plans that begin by the last day, each counted from its anchor.
    fn terms(&self) -> Vec<Term> {
        let team = (0..).map(|n| self.term(self.trial_end, n, TEAM_PRICE));
        let team = team.take_while(|(start, ..)| *start <= self.last_day);
        // The add-on is canceled at the end of its twelfth term.
        let addon = (0..MONTHS).map(|n| {
            let changed = self.today.plus_months(n) > self.change_day;
            self.term(self.today, n, ADDON_PRICES[usize::from(changed)])
        });
        let mut terms: Vec<Term> = team.chain(addon).collect();
        terms.sort_unstable();
        terms
    }

    fn term(&self, anchor: Date, nth: u32, price_minor: i64) -> Term {
        (anchor.plus_months(nth), anchor.plus_months(nth + 1), price_minor)
    }

    /// The add-on's plan change, the day of the change counted as left.
    fn proration(&self) -> Proration {
        let (start, end) = (self.today.plus_months(3), self.today.plus_months(4));
        let (days_left, days) = (end.days_since(self.change_day), end.days_since(start));
        let half_up = |price: i64| (price * days_left * 2 + days) / (days * 2);
        let [credit_minor, charge_minor] = ADDON_PRICES.map(half_up);
        Proration { days_left, days, credit_minor, charge_minor }
    }
}

/// The tax on a sum of lines that have one rate, rounded half up once.
pub(crate) fn tax(net_minor: i64) -> i64 {
    (net_minor * TAX_PERCENT * 2 + 100).div_euclid(200)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        Date::parse(text).expect("a day")
    }

    #[test]
    fn a_31st_never_moves() {
        let calendar = Calendar::of_year_from(day("2026-11-21"));
        assert_eq!(calendar.trial_end, day("2026-12-31"));
        let terms = calendar.terms();
        let of = |price: i64| terms.iter().filter(move |term| term.2 == price);
        let starts: Vec<String> = of(TEAM_PRICE).map(|term| term.0.to_string()).collect();
        assert_eq!(starts[..4], ["2026-12-31", "2027-01-31", "2027-02-28", "2027-03-31"]);
        assert_eq!(starts.last().map(String::as_str), Some("2027-10-31"));
        assert_eq!(ADDON_PRICES.map(|price| of(price).count()), [4, 8]);
    }

    #[test]
    fn the_change_is_charged_for_the_days_left() {
        let proration = Calendar::of_year_from(day("2026-11-21")).proration();
        // 2027-02-21 to 2027-03-21 has 28 days; on 2027-03-03 18 of them are left.
        let expected =
            Proration { days_left: 18, days: 28, credit_minor: 12_86, charge_minor: 22_50 };
        assert_eq!(proration, expected);
    }

    #[test]
    fn every_stop_is_ahead_of_the_one_before_and_within_366_days() {
        for offset in 0..800 {
            let calendar = Calendar::of_year_from(day("2027-01-01").plus_days(offset));
            let stops = calendar.stops();
            assert_eq!(stops.len(), 13);
            assert!(stops.is_sorted_by(|a, b| a < b), "{stops:?}");
            assert!(calendar.trial_end.days_since(calendar.today) <= 62);
            assert!(calendar.change_day < calendar.today.plus_months(4));
        }
    }
}
