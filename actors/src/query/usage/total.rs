//! What a metric's events of some days come to.

use storage::{ReadError, Scan, Store};

use super::day_values;
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{MetricName, UsageTotal};
use crate::domain::ids::{ContractId, SellerId};
use crate::tables::USAGE_DAYS;

/// What was used of a contract's metric on the days of `span`, from one row a day. Late events
/// are not in it.
pub fn total(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    metric: &MetricName,
    span: Span,
) -> Result<UsageTotal, ReadError> {
    let mut total = UsageTotal::default();
    for row in store.scan(USAGE_DAYS, days(seller, contract, metric, span)) {
        let (key, day) = row?;
        let values = day_values(store, &key, &day)?;
        day.add_to(&mut total, |version| values.get(&version));
    }
    Ok(total)
}

pub(super) fn days(
    seller: SellerId,
    contract: ContractId,
    metric: &MetricName,
    span: Span,
) -> Scan {
    Scan::prefix(&(seller, contract, metric.clone()))
        .from(&(seller, contract, metric.clone(), span.start))
        .until(&(seller, contract, metric.clone(), span.end))
}
