//! Prices of a contract's metrics.

use storage::{ReadError, Scan, Store};

use crate::domain::billing::pricing::PriceVersion;
use crate::domain::billing::usage::MetricName;
use crate::domain::ids::{ContractId, SellerId};
use crate::tables::PRICES;

/// Every version of a metric's price on a contract, oldest first.
pub fn prices(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    metric: &MetricName,
) -> Result<Vec<PriceVersion>, ReadError> {
    store
        .scan(PRICES, Scan::prefix(&(seller, contract, metric.clone())))
        .map(|row| row.map(|(_, price)| price))
        .collect()
}
