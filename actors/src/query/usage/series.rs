//! What a chart of usage needs: quantities by hour or by day.

use rust_decimal::Decimal;
use storage::{ReadError, Scan, Store};

use super::day_values;
use super::total::days;
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{MetricName, Seats, UsageTotal};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::Timestamp;
use crate::tables::{SEAT_CHANGES, USAGE_DAYS};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BucketWidth {
    /// A clock hour in UTC.
    Hour,
    /// A UTC day.
    Day,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    pub start: Timestamp,
    /// What its events come to; with `count_unique`, its own distinct values. Of seats, how many it
    /// ends with.
    pub quantity: Decimal,
    pub events: u64,
}

const SECONDS_AN_HOUR: i64 = 3_600;

/// The usage of a contract's metric on the days of `span`, from one row a day. Buckets without
/// events are left out; late events are in none.
pub fn series(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    metric: &MetricName,
    span: Span,
    width: BucketWidth,
) -> Result<Vec<Bucket>, ReadError> {
    let mut buckets = Vec::new();
    for row in store.scan(USAGE_DAYS, days(seller, contract, metric, span)) {
        let (key, day) = row?;
        let values = day_values(store, &key, &day)?;
        let start = key.3.start();
        match width {
            BucketWidth::Day => {
                let mut total = UsageTotal::default();
                day.add_to(&mut total, |version| values.get(&version));
                buckets.push(bucket(start, &total));
            }
            BucketWidth::Hour => buckets.extend((0..24).filter_map(|hour| {
                let total = day.hour(hour, |version| values.get(&version))?;
                let start = start.plus_seconds(i64::from(hour) * SECONDS_AN_HOUR);
                Some(bucket(start, &total))
            })),
        }
    }
    Ok(buckets)
}

/// The seats that a contract has at the end of each day of `span`, by all recorded changes.
pub fn seats_by_day(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    span: Span,
) -> Result<Vec<Bucket>, ReadError> {
    let mut seats = Seats::default();
    for row in store.scan(SEAT_CHANGES, Scan::prefix(&(seller, contract))) {
        let (_, change) = row?;
        seats.take(&change);
    }
    let days = seats.by_day(span);
    Ok(days
        .map(|(day, seats)| Bucket { start: day.start(), quantity: seats.into(), events: 0 })
        .collect())
}

fn bucket(start: Timestamp, total: &UsageTotal) -> Bucket {
    let used = total.used();
    Bucket { start, quantity: used.quantity, events: used.events }
}
