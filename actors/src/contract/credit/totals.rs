//! What all contracts of a seller have, in a store from before it was kept.

use std::collections::BTreeMap;

use storage::{Batch, Scan, Store, Sum};

use crate::system::StartError;
use crate::tables::{CREDIT_BALANCES, CREDIT_COUNTED, CREDIT_TOTALS};

/// Totals that are written together.
const TOGETHER: usize = 1_000;

/// Adds the balances of all contracts up, unless that was done before. Nobody may change them
/// meanwhile. What a crash broke off is counted again from its beginning.
pub(crate) fn count_once(store: &Store) -> Result<(), StartError> {
    if store.contains(CREDIT_COUNTED, &0)? {
        return Ok(());
    }
    let mut totals = BTreeMap::new();
    for row in store.scan(CREDIT_BALANCES, Scan::all()) {
        let ((seller, _), balances) = row?;
        for (kind, minor) in balances.by_type {
            let total = (seller, balances.currency.code(), kind);
            let (_, sum) = totals.entry(total).or_insert((balances.currency, 0));
            *sum += i128::from(minor);
        }
    }
    let mut batch = Batch::new();
    for ((seller, _, kind), (currency, sum)) in totals {
        batch.put(CREDIT_TOTALS, &(seller, currency, kind), &Sum::new(sum));
        if batch.rows() >= TOGETHER {
            store.write_blocking(std::mem::take(&mut batch))?;
        }
    }
    batch.put(CREDIT_COUNTED, &0, &());
    store.write_blocking(batch)?;
    Ok(())
}
