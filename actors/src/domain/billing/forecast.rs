//! What a contract would bill by a day, and what is assumed on the way there.

use std::collections::BTreeMap;

use crate::domain::billing::invoice::{Invoice, InvoiceLine};
use crate::domain::billing::subscription::Subscription;
use crate::domain::billing::timeline::TimelineEntry;
use crate::domain::money::{Currency, bounded};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::{Date, Timestamp};

/// How far ahead a forecast looks, inclusive.
const MAX_MONTHS: u32 = 36;

/// The last year that it reaches, as that of a test clock.
const LAST_YEAR: i32 = 9_980;

/// Of each kind.
pub const MAX_ASSUMPTIONS: usize = 100;

/// Lines and entries that a forecast holds at most.
pub const MAX_FORECAST_ROWS: usize = 20_000;

/// Assumed values that a forecast counts at most: all of them are in memory at its end. One metric
/// of distinct values may have as many as count on each day of three years.
pub const MAX_ASSUMED_VALUES: usize = 2_000_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    pub currency: Currency,
    pub from: Timestamp,
    pub to: Timestamp,
    pub documents: Vec<ForecastDocument>,
    /// As they are at `to`.
    pub subscriptions: Vec<Subscription>,
    /// What the timeline would get, in order, each with the place of the document that it is of.
    pub entries: Vec<(TimelineEntry, Option<usize>)>,
    pub totals: ForecastTotals,
    pub notes: Vec<String>,
}

/// A document as it stands at the end, when nobody has paid it.
#[derive(Clone, Debug, PartialEq)]
pub struct ForecastDocument {
    pub invoice: Invoice,
    pub lines: Vec<InvoiceLine>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForecastTotals {
    /// With tax.
    pub billed_minor: i64,
    pub tax_minor: i64,
    /// By the first day of each month of issue, the months without any among them.
    pub by_month: Vec<(Date, i64)>,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ForecastRefusal {
    #[error("to is before the contract's clock, which stands at {0}")]
    Past(Timestamp),
    #[error("to is more than 3 years after the contract's clock, which stands at {0}")]
    TooFar(Timestamp),
    #[error("to is after the year 9980, the last one that a clock reaches")]
    BeyondCalendar,
    #[error(
        "to is too far ahead for this contract: a forecast holds {MAX_FORECAST_ROWS} lines and entries"
    )]
    TooMuch,
    #[error(
        "to is too far ahead for assume.usage: a forecast counts at most {MAX_ASSUMED_VALUES} values of all days and metrics"
    )]
    TooMuchUsage,
    #[error("to is too far ahead for this contract: it would bill more than 10^15 minor units")]
    TooLarge,
    #[error("assume.{0} may hold at most {MAX_ASSUMPTIONS} items")]
    TooManyAssumptions(&'static str),
    #[error("assume.changes[{index}].on must lie between {from} and {to}")]
    ChangeOutside { index: usize, from: Date, to: Date },
    #[error("assume.changes[{0}].subscriptionId is not a subscription of the contract")]
    UnknownSubscription(usize),
}

impl Refuse for ForecastRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::TooMuch | Self::TooMuchUsage | Self::TooLarge => RefusalKind::Unprocessable,
            _ => RefusalKind::Invalid,
        }
    }
}

/// Refuses an end that a forecast from `from` does not reach.
pub fn check_end(from: Timestamp, to: Timestamp) -> Result<(), ForecastRefusal> {
    if to < from {
        return Err(ForecastRefusal::Past(from));
    }
    if to.date().parts().0 > LAST_YEAR {
        return Err(ForecastRefusal::BeyondCalendar);
    }
    let of_day = from.micros() - from.date().start().micros();
    let last = from.date().plus_months(MAX_MONTHS).start().micros() + of_day;
    if to.micros() > last { Err(ForecastRefusal::TooFar(from)) } else { Ok(()) }
}

impl ForecastTotals {
    /// What documents add up to, month by month between two instants.
    pub fn of<'a>(
        documents: impl Iterator<Item = &'a Invoice>,
        (from, to): (Timestamp, Timestamp),
    ) -> Result<Self, ForecastRefusal> {
        let mut by_month = BTreeMap::new();
        let (mut month, last) = (first_of_month(from.date()), first_of_month(to.date()));
        while month <= last {
            by_month.insert(month, 0_i128);
            month = month.plus_months(1);
        }
        let (mut billed, mut tax) = (0_i128, 0_i128);
        for invoice in documents {
            let of = i128::from(invoice.totals.grand_total_minor);
            billed += of;
            tax += i128::from(invoice.totals.tax_minor);
            *by_month.entry(first_of_month(invoice.issue_date)).or_default() += of;
        }
        let minor = |sum| bounded(sum).map_err(|_| ForecastRefusal::TooLarge);
        let by_month = by_month.into_iter().map(|(month, sum)| Ok((month, minor(sum)?)));
        Ok(Self {
            billed_minor: minor(billed)?,
            tax_minor: minor(tax)?,
            by_month: by_month.collect::<Result<_, ForecastRefusal>>()?,
        })
    }
}

fn first_of_month(day: Date) -> Date {
    day.plus_days(1 - i64::from(day.parts().2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("an instant")
    }

    #[test]
    fn three_years_are_in_and_a_microsecond_more_is_not() {
        let from = at("2024-02-29T09:30:00Z");
        let last = at("2027-02-28T09:30:00Z");
        assert_eq!(check_end(from, from), Ok(()));
        assert_eq!(check_end(from, last), Ok(()));
        let more = Timestamp::from_micros(last.micros() + 1);
        assert_eq!(check_end(from, more), Err(ForecastRefusal::TooFar(from)));
        let before = Timestamp::from_micros(from.micros() - 1);
        assert_eq!(check_end(from, before), Err(ForecastRefusal::Past(from)));
        let (late, later) = (at("9979-01-01T00:00:00Z"), at("9981-01-01T00:00:00Z"));
        assert_eq!(check_end(late, later), Err(ForecastRefusal::BeyondCalendar));
    }

    #[test]
    fn months_without_documents_are_told_too() {
        let span = (at("2026-11-30T09:00:00Z"), at("2027-02-01T00:00:00Z"));
        let totals = ForecastTotals::of(std::iter::empty(), span).expect("totals");
        let months: Vec<_> = totals.by_month.iter().map(|(month, _)| month.to_string()).collect();
        assert_eq!(months, ["2026-11-01", "2026-12-01", "2027-01-01", "2027-02-01"]);
        assert_eq!((totals.billed_minor, totals.tax_minor), (0, 0));
    }
}
