//! Usage that nobody has sent, as a forecast assumes it: so much on each day.

use rust_decimal::prelude::ToPrimitive;

use super::aggregate::{Measured, UsageTotal};
use super::distinct::{COUNTED_VALUES, ValueFingerprint};
use super::metric::{Aggregation, Metric, MetricName, SEATS};
use super::policy::UsageLimit;
use super::units::Units;
use crate::domain::quantity::Quantity;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Date;

/// Events of a day that are assumed at most, so that years of them stay a number of events.
const MAX_A_DAY: u64 = 1_000_000_000_000_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumedUsage {
    pub metric: MetricName,
    /// The quantity of one event; of `count` how many events, and of `count_unique` how many
    /// values, the same ones on each day.
    pub per_day: Quantity,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssumedRefusal {
    #[error("metric {0} is not registered")]
    Unregistered(MetricName),
    #[error("metric {SEATS} takes no assumption: seats are counted as they are recorded")]
    Seats,
    #[error("metric {0} is stated twice")]
    Twice(MetricName),
    #[error("perDay must be a whole number: metric {0} counts")]
    NotWhole(MetricName),
    #[error("perDay must be at most 10^15: metric {0} counts")]
    TooMany(MetricName),
}

impl Refuse for AssumedRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}

impl AssumedUsage {
    /// What its metric measures on a day.
    pub fn on(&self, day: Date, metric: Option<&Metric>) -> Result<Vec<Measured>, AssumedRefusal> {
        if self.metric.is_seats() {
            return Err(AssumedRefusal::Seats);
        }
        let name = || self.metric.clone();
        let metric = metric.ok_or_else(|| AssumedRefusal::Unregistered(name()))?;
        let whole = || {
            let value = self.per_day.value();
            let whole = value.to_u64().filter(|_| value.is_integer());
            whole.ok_or_else(|| AssumedRefusal::NotWhole(name()))
        };
        let one = Measured {
            version: metric.version,
            aggregation: metric.aggregation,
            quantity: Units::from(self.per_day),
            at: day.start(),
            value: None,
            times: 1,
        };
        Ok(match metric.aggregation {
            Aggregation::Count => match whole()? {
                0 => Vec::new(),
                times if times > MAX_A_DAY => return Err(AssumedRefusal::TooMany(name())),
                times => vec![Measured { times, ..one }],
            },
            Aggregation::CountUnique => {
                // More than count make no difference, but that there are more.
                let values = whole()?.min(COUNTED_VALUES as u64 + 1);
                let value = |n: u64| ValueFingerprint::of(&format!("assumed {n}"));
                (0..values).map(|n| Measured { value: Some(value(n)), ..one }).collect()
            }
            _ => vec![one],
        })
    }
}

/// What is left of an event where its metric's hard limit lets only a part of it through, or none.
/// `total`: what the period has used before.
pub fn kept_by_limit(
    event: Measured,
    limit: Option<UsageLimit>,
    total: &UsageTotal,
) -> Option<Measured> {
    let (before, after) = (total.value(), total.value_with(event));
    let Some(limit) = limit.filter(|limit| limit.refuses(before, after)) else {
        return Some(event);
    };
    let left = Units::from(limit.cap_quantity).less(before);
    match event.aggregation {
        Aggregation::Sum => (left > Units::ZERO).then_some(Measured { quantity: left, ..event }),
        Aggregation::Count => {
            let times = u64::try_from(left.billionths() / Units::whole(1).billionths());
            let times = times.unwrap_or(u64::MAX);
            (times > 0).then_some(Measured { times, ..event })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::billing::usage::CapMode;
    use crate::domain::time::Timestamp;

    fn metric(aggregation: Aggregation) -> Metric {
        Metric {
            name: MetricName::parse("m").expect("a name"),
            version: 1,
            unit: "piece".to_owned(),
            aggregation,
            unique_key: None,
            description: None,
            created_at: Timestamp::from_micros(0),
        }
    }

    fn assumed(per_day: &str) -> AssumedUsage {
        let per_day = Quantity::parse(per_day).expect("a quantity");
        AssumedUsage { metric: MetricName::parse("m").expect("a name"), per_day }
    }

    fn used(aggregation: Aggregation, per_day: &str, days: i64, cap: Option<u32>) -> String {
        let first = Date::parse("2026-11-01").expect("a day");
        let limit =
            cap.map(|cap| UsageLimit { cap_quantity: Quantity::whole(cap), mode: CapMode::Hard });
        let (metric, mut total) = (metric(aggregation), UsageTotal::default());
        for day in (0..days).map(|day| first.plus_days(day)) {
            for event in assumed(per_day).on(day, Some(&metric)).expect("assumed") {
                kept_by_limit(event, limit, &total).into_iter().for_each(|event| total.add(event));
            }
        }
        total.used().quantity.to_string()
    }

    #[test]
    fn days_add_up_as_the_metric_does() {
        for (aggregation, per_day, free, capped) in [
            (Aggregation::Sum, "2.5", "7.5", "4"),
            (Aggregation::Count, "3", "9", "4"),
            (Aggregation::Count, "0", "0", "0"),
            (Aggregation::CountUnique, "6", "6", "4"),
            (Aggregation::CountUnique, "5000", "1000", "4"),
            (Aggregation::Max, "6", "6", "0"),
            (Aggregation::Last, "3", "3", "3"),
            (Aggregation::Min, "3", "3", "3"),
        ] {
            assert_eq!(used(aggregation, per_day, 3, None), free, "{aggregation:?}");
            assert_eq!(used(aggregation, per_day, 3, Some(4)), capped, "{aggregation:?}");
        }
    }

    #[test]
    fn three_years_of_as_many_events_as_a_day_takes_are_counted() {
        let most = MAX_A_DAY.to_string();
        assert_eq!(used(Aggregation::Count, &most, 1_097, None), "1097000000000000000");
        let day = Date::parse("2026-11-01").expect("a day");
        let more = assumed("1000000000000001");
        let refused = more.on(day, Some(&metric(Aggregation::Count)));
        assert!(matches!(refused, Err(AssumedRefusal::TooMany(_))));
        // Where values are counted, or quantities, it is no number of events.
        for aggregation in [Aggregation::CountUnique, Aggregation::Sum] {
            assert!(more.on(day, Some(&metric(aggregation))).is_ok());
        }
    }

    #[test]
    fn what_counts_takes_whole_numbers_and_an_unknown_metric_nothing() {
        let day = Date::parse("2026-11-01").expect("a day");
        for aggregation in [Aggregation::Count, Aggregation::CountUnique] {
            let refused = assumed("1.5").on(day, Some(&metric(aggregation)));
            assert!(matches!(refused, Err(AssumedRefusal::NotWhole(_))));
        }
        assert!(matches!(assumed("1").on(day, None), Err(AssumedRefusal::Unregistered(_))));
        let seats = AssumedUsage { metric: MetricName::seats(), ..assumed("1") };
        assert_eq!(seats.on(day, None), Err(AssumedRefusal::Seats));
    }
}
