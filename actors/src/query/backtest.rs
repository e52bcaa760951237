//! Closed periods of a metric, to be rated by another price.

use storage::{ReadError, Scan, Store};

use crate::domain::billing::pricing::ClosedPeriod;
use crate::domain::billing::usage::MetricName;
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::Date;
use crate::tables::{USAGE_CLAIMS, USAGE_LINES};

/// The closed periods of a contract's metric that begin before `until`, in order of time.
pub fn closed_periods(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    metric: &MetricName,
    until: Date,
) -> Result<Vec<ClosedPeriod>, ReadError> {
    // A period's claim has its first day in the key, so that no other metric's lines are read.
    let of_metric = (seller, contract, metric.clone());
    let scan = Scan::prefix(&of_metric).until(&(seller, contract, metric.clone(), until));
    let lines = store.scan(USAGE_CLAIMS, scan).map(|claim| {
        let line = claim?.1;
        store.get(USAGE_LINES, &(seller, contract, line))
    });
    lines
        .filter_map(|line| line.map(|line| line.as_ref().map(ClosedPeriod::from)).transpose())
        .collect()
}
