//! What closed periods would have billed by another configuration. Nothing is stored.

use super::config::PriceConfig;
use super::names::Rollover;
use super::rating::{Basis, Rating};
use super::refusal::{EvaluationRefusal, RatingRefusal};
use super::seats::rate_seats;
use super::usage::{RatingInput, rate};
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::UsageLine;
use crate::domain::ids::SubscriptionId;
use crate::domain::quantity::Quantity;
use crate::domain::time::Date;
use rust_decimal::Decimal;

/// The most periods that one back-test shows. So many amounts of 10^15 also add up without
/// running over.
pub const MAX_TESTED_PERIODS: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedPeriod {
    pub span: Span,
    /// The metering subscription: units roll over within one only.
    pub subscription: SubscriptionId,
    pub usage: PeriodUsage,
    pub trial: bool,
    /// Whether it is a cut one or the last: what it leaves lapses.
    pub lapses: bool,
    /// What it billed, in minor units.
    pub billed_minor: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeriodUsage {
    Units {
        /// The aggregated quantity, 0 or more.
        quantity: Decimal,
        any_event: bool,
    },
    Seats {
        seat_days: i64,
        period_days: i64,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackTested {
    pub period: ClosedPeriod,
    pub rating: Rating,
}

impl BackTested {
    /// How much more it would have billed, in minor units; less when negative.
    pub fn difference_minor(&self) -> i64 {
        self.rating.amount_minor - self.period.billed_minor
    }
}

impl ClosedPeriod {
    /// What was used in it, as a decimal: units, or days of seats.
    pub fn quantity(&self) -> Decimal {
        match self.usage {
            PeriodUsage::Units { quantity, .. } => quantity,
            PeriodUsage::Seats { seat_days, .. } => seat_days.into(),
        }
    }
}

impl From<&UsageLine> for ClosedPeriod {
    fn from(line: &UsageLine) -> Self {
        let usage = match &line.breakdown.rating.basis {
            Basis::Units(_) => {
                PeriodUsage::Units { quantity: line.quantity.value(), any_event: line.events > 0 }
            }
            Basis::Seats(seats) => {
                PeriodUsage::Seats { seat_days: seats.seat_days, period_days: seats.period_days }
            }
        };
        Self {
            span: line.span,
            subscription: line.subscription,
            usage,
            trial: line.trial,
            lapses: line.lapses,
            billed_minor: line.amount_minor(),
        }
    }
}

/// Rates by `config` those of `periods` that begin on the days of `shown`. `periods` are all of a
/// metric that begin before the last of these days, in order of time. Where units roll over, all
/// of them are rated, so that what the first one shown begins with is what would have been left
/// to it; the oldest begins with nothing.
pub fn back_test(
    config: &PriceConfig,
    periods: &[ClosedPeriod],
    shown: Span,
) -> Result<Vec<BackTested>, EvaluationRefusal> {
    let asked = |period: &ClosedPeriod| shown.contains(period.span.start);
    if periods.iter().filter(|period| asked(period)).count() > MAX_TESTED_PERIODS {
        return Err(EvaluationRefusal::Periods);
    }
    let rolls = config.allotment().is_some_and(|own| own.rollover == Rollover::Rollover);
    let mut left: Option<(SubscriptionId, Date, Quantity)> = None;
    let mut tested = Vec::new();
    for period in periods.iter().filter(|period| rolls || asked(period)) {
        let ClosedPeriod { span, subscription, .. } = *period;
        let rolled_over = match left.take() {
            Some((of, into, units)) if of == subscription && into == span.start => units,
            _ => Quantity::ZERO,
        };
        let rating = rated(config, period, rolled_over)?;
        left = (!period.lapses).then(|| (subscription, span.end, rating.unused()));
        if asked(period) {
            tested.push(BackTested { period: *period, rating });
        }
    }
    Ok(tested)
}

fn rated(
    config: &PriceConfig,
    period: &ClosedPeriod,
    rolled_over: Quantity,
) -> Result<Rating, EvaluationRefusal> {
    let trial = period.trial;
    let rating = match period.usage {
        PeriodUsage::Units { quantity, any_event } => {
            rate(config, &RatingInput { quantity, rolled_over, any_event, trial })
        }
        PeriodUsage::Seats { seat_days, period_days } => {
            rate_seats(config, seat_days, period_days, trial)
        }
    };
    rating.map_err(|refusal| match refusal {
        RatingRefusal::TooLarge => EvaluationRefusal::PeriodTooLarge(period.span.start),
        refusal => refusal.into(),
    })
}
