//! Recorded usage: events, and what days come to.

mod events;
mod late;
mod series;
mod total;

use std::collections::BTreeMap;

use storage::{ReadError, RecordError, Scan, Store};

use crate::domain::billing::usage::{DistinctValues, MetricName, UsageDay};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::Date;
use crate::tables::{METERED, USAGE_VALUES};

pub use events::events_of;
pub use late::late_events;
pub use series::{Bucket, BucketWidth, seats_by_day, series};
pub use total::total;

type DayKey = (SellerId, ContractId, MetricName, Date);

/// The distinct values of a day, by metric version, where it has any.
pub(crate) fn day_values(
    store: &Store,
    key: &DayKey,
    day: &UsageDay,
) -> Result<BTreeMap<u32, DistinctValues>, ReadError> {
    let mut values = BTreeMap::new();
    for part in day.versions().iter().filter(|part| part.has_values()) {
        let (seller, contract, metric, date) = key.clone();
        let found = store.get(USAGE_VALUES, &(seller, contract, metric, date, part.version))?;
        values.insert(part.version, found.unwrap_or_default());
    }
    Ok(values)
}

/// Whether any contract has recorded an event of a metric.
pub fn is_metered(store: &Store, seller: SellerId, metric: &MetricName) -> Result<bool, ReadError> {
    let first = store.scan(METERED, Scan::prefix(&(seller, metric.clone()))).next();
    Ok(first.transpose()?.is_some())
}

/// Packed events that cannot be read are a row that cannot be read.
pub(crate) fn unreadable(table: &'static str, error: RecordError) -> ReadError {
    ReadError::Record { table, key: String::new(), detail: error.to_string() }
}
