//! The VAT rates of the members of the European Union by day: `rates.csv`, which says where they
//! come from.

use std::sync::LazyLock;

use super::{TaxKind, is_in_eu};
use crate::domain::country::Country;
use crate::domain::names::names;
use crate::domain::quantity::TaxRate;
use crate::domain::time::Date;

names! {
    RateKind;
    0 Standard = "standard",
    1 Reduced = "reduced",
    2 SecondReduced = "second_reduced",
    3 ThirdReduced = "third_reduced",
}

/// A rate and the days on which it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountryRate {
    pub country: Country,
    pub kind: RateKind,
    pub rate: TaxRate,
    pub from: Date,
    /// The last day; none for one that holds until further notice.
    pub until: Option<Date>,
}

static RATES: LazyLock<Vec<CountryRate>> = LazyLock::new(|| {
    let rows = include_str!("rates.csv").lines().filter(|row| !row.starts_with('#')).skip(1);
    // A test reads every row.
    rows.filter_map(parsed).collect()
});

/// The first day that the table knows rates of.
pub fn rates_begin() -> Option<Date> {
    RATES.iter().map(|of| of.from).min()
}

/// What holds in a member on a day; nothing for other countries.
pub fn rates_of(country: Country, on: Date) -> impl Iterator<Item = &'static CountryRate> {
    RATES.iter().filter(move |of| {
        of.country == country && of.from <= on && of.until.is_none_or(|until| on <= until)
    })
}

/// The rate that what is sold falls under in a member: what has no reduced rate there is taxed in
/// full, and a day before the table begins counts as its first.
pub(super) fn rate_of(country: Country, kind: TaxKind, on: Date) -> Option<TaxRate> {
    let on = rates_begin().map_or(on, |first| first.max(on));
    let of = |wanted| rates_of(country, on).find(|of| of.kind == wanted).map(|of| of.rate);
    let standard = || of(RateKind::Standard);
    debug_assert!(!is_in_eu(country) || standard().is_some());
    match kind {
        TaxKind::Standard => standard(),
        TaxKind::Reduced => of(RateKind::Reduced).or_else(standard),
        TaxKind::Zero | TaxKind::Exempt => Some(TaxRate::ZERO),
    }
}

fn parsed(row: &str) -> Option<CountryRate> {
    let mut parts = row.split(',');
    let mut next = || parts.next();
    let (country, kind, rate, from, until) = (next()?, next()?, next()?, next()?, next()?);
    Some(CountryRate {
        country: Country::parse(country)?,
        kind: RateKind::parse(kind)?,
        rate: TaxRate::parse(rate)?,
        from: Date::parse(from)?,
        until: if until.is_empty() { None } else { Some(Date::parse(until)?) },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::testing::day;

    fn country(code: &str) -> Country {
        Country::parse(code).expect("a country")
    }

    #[test]
    fn every_row_is_read_and_periods_follow_one_another() {
        let rows = include_str!("rates.csv").lines().filter(|row| !row.starts_with('#')).skip(1);
        assert_eq!(RATES.len(), rows.count());
        for pair in RATES.windows(2) {
            let [first, then] = pair else { unreachable!("windows of two") };
            assert!((first.country, first.kind, first.from) < (then.country, then.kind, then.from));
            if (first.country, first.kind) == (then.country, then.kind) {
                assert_eq!(first.until.map(|last| last.plus_days(1)), Some(then.from), "{then:?}");
            }
        }
        let first = rates_begin().expect("a day");
        for country in Country::all().filter(|country| is_in_eu(*country)) {
            assert!(rate_of(country, TaxKind::Standard, first).is_some(), "{country}");
        }
    }

    #[test]
    fn a_rate_holds_from_its_first_to_its_last_day() {
        for (code, on, kind, expected) in [
            ("DE", "2020-06-30", TaxKind::Standard, "19"),
            ("DE", "2020-07-01", TaxKind::Standard, "16"),
            ("DE", "2020-12-31", TaxKind::Reduced, "5"),
            ("DE", "2021-01-01", TaxKind::Standard, "19"),
            ("EE", "2025-07-01", TaxKind::Standard, "24"),
            ("FI", "2026-11-22", TaxKind::Standard, "25.5"),
            ("FI", "2026-11-22", TaxKind::Reduced, "13.5"),
            ("SK", "2025-01-01", TaxKind::Standard, "23"),
            ("DK", "2026-11-22", TaxKind::Reduced, "25"),
            ("NL", "2019-12-31", TaxKind::Standard, "21"),
            ("NL", "2026-11-22", TaxKind::Zero, "0"),
        ] {
            let found = rate_of(country(code), kind, day(on)).map(|rate| rate.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{code} {on}");
        }
        assert_eq!(rate_of(country("CH"), TaxKind::Standard, day("2026-11-22")), None);
    }
}
