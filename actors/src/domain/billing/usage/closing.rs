//! Closing: which periods are to be closed, and what they come to.
//!
//! A period is closed once it is over and a price is in force on its first day, or takes effect
//! inside it. One without a price stays open, and is closed when a price for it arrives.

#[cfg(test)]
mod tests;

use super::aggregate::{UsageTotal, Used};
use super::coverage::{Coverage, UsagePeriod};
use super::line::UsageLine;
use super::meter::MeterRow;
use super::metric::MetricName;
use super::seats::Seats;
use crate::domain::billing::pricing::{
    PeriodUsage, PriceVersion, RatingInput, RatingRefusal, UsageBreakdown, in_force, rate,
    rate_seats,
};
use crate::domain::ids::UsageLineId;
use crate::domain::quantity::Quantity;
use crate::domain::time::{Date, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DuePeriod<'a> {
    /// Its days, without those that are closed already.
    pub period: UsagePeriod,
    pub price: &'a PriceVersion,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    used: PeriodUsage,
    events: u64,
    overflowed: bool,
    versions: Vec<u32>,
}

/// The open periods of a metric that have a price, in order; without end while a subscription
/// goes on. `prices` are all of the metric on the contract.
pub fn due_periods<'a>(
    coverage: &'a Coverage,
    row: &'a MeterRow,
    prices: &'a [PriceVersion],
) -> impl Iterator<Item = DuePeriod<'a>> + 'a {
    // Whatever ends before any price takes effect stays without one.
    let first = prices.iter().map(|price| price.effective_from).min();
    let open = move |day: Date| coverage.periods_from(row.closed_until(day).unwrap_or(day)).next();
    std::iter::successors(first.and_then(open), move |period| open(period.span.end))
        .flat_map(move |period| {
            let parts = row.open_parts(period.span).into_iter();
            parts.map(move |span| UsagePeriod { span, ..period })
        })
        .filter_map(move |period| {
            in_force(prices, period.span).map(|price| DuePeriod { period, price })
        })
}

/// The first day on which the next of them is over.
pub fn next_due(coverage: &Coverage, row: &MeterRow, prices: &[PriceVersion]) -> Option<Date> {
    due_periods(coverage, row, prices).next().map(|due| due.period.span.end)
}

/// When the next of them is to be closed: once it is over, or later where that was tried in vain.
pub fn next_attempt(
    coverage: &Coverage,
    row: &MeterRow,
    prices: &[PriceVersion],
) -> Option<Timestamp> {
    let mut next: Option<Timestamp> = None;
    for due in due_periods(coverage, row, prices) {
        let span = due.period.span;
        let waits = row.waits_until(span);
        let at = waits.unwrap_or_else(|| span.end.start());
        next = Some(next.map_or(at, |known| known.min(at)));
        // Those behind it are over later.
        if waits.is_none() {
            break;
        }
    }
    next
}

impl DuePeriod<'_> {
    /// Closes the period: the line with the amount that it comes to.
    pub fn close(
        &self,
        id: UsageLineId,
        metric: &MetricName,
        row: &MeterRow,
        reading: Reading,
        now: Timestamp,
    ) -> Result<UsageLine, RatingRefusal> {
        let Self { period, price } = *self;
        let (subscription, trial) = (period.subscription, period.trial);
        let rolled_in = row.carried_into(subscription, period.span.start);
        let rating = match reading.used {
            PeriodUsage::Units { quantity, any_event } => {
                let input = RatingInput { quantity, rolled_over: rolled_in, any_event, trial };
                rate(&price.config, &input)?
            }
            PeriodUsage::Seats { seat_days, period_days } => {
                rate_seats(&price.config, seat_days, period_days, trial)?
            }
        };
        Ok(UsageLine {
            id,
            metric: metric.clone(),
            subscription,
            span: period.span,
            term: period.term,
            trial,
            quantity: reading.quantity(),
            metric_versions: reading.versions,
            events: reading.events,
            overflowed: reading.overflowed,
            rolled_in,
            lapses: period.last,
            breakdown: UsageBreakdown { price_version: price.version, rating },
            closed_at: now,
            billed_by: None,
        })
    }
}

impl Reading {
    pub fn of_events(total: &UsageTotal) -> Self {
        let Used { quantity, overflowed, events } = total.used();
        let used = PeriodUsage::Units { quantity, any_event: events > 0 };
        let mut versions: Vec<_> = total.versions().collect();
        versions.sort_unstable();
        Self { used, events, overflowed, versions }
    }

    /// The seats of those days of a period that are before `until`.
    pub fn of_seats(seats: &Seats, period: &UsagePeriod, until: Date) -> Self {
        let seat_days = seats.seat_days(period.span.before(until));
        let period_days = period.term.days();
        let used = PeriodUsage::Seats { seat_days, period_days };
        Self { used, events: 0, overflowed: false, versions: Vec::new() }
    }

    fn quantity(&self) -> Quantity {
        Quantity::measured(match self.used {
            PeriodUsage::Units { quantity, .. } => quantity,
            PeriodUsage::Seats { seat_days, .. } => seat_days.into(),
        })
    }
}
