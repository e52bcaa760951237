//! The invoices that later ones may go on from, in a store from before they were listed.

use storage::{Batch, Scan, Store};

use crate::system::StartError;
use crate::tables::{CONTRACT_INVOICES, FOLLOWABLE_INVOICES, FOLLOWABLE_LISTED};

/// Rows that are written together.
const TOGETHER: usize = 1_000;

/// Lists those of all contracts, unless that was done before. Nobody may change them meanwhile.
/// What a crash broke off goes on at the contract that it had come to.
pub(crate) fn list_once(store: &Store) -> Result<(), StartError> {
    if store.contains(FOLLOWABLE_LISTED, &0)? {
        return Ok(());
    }
    let newest = Scan::all().reverse().first();
    let last = store.scan(FOLLOWABLE_INVOICES, newest).keys().next().transpose()?;
    let rest = match last {
        Some((seller, contract, ..)) => Scan::all().from(&(seller, contract)),
        None => Scan::all(),
    };
    let mut batch = Batch::new();
    for row in store.scan(CONTRACT_INVOICES, rest) {
        let ((seller, contract, id), head) = match row {
            Ok(row) => row,
            Err(error) if error.concerns_all() => return Err(error.into()),
            // None goes on from what cannot be read.
            Err(error) => {
                tracing::error!(%error, "whether an invoice may be followed cannot be read");
                continue;
            }
        };
        if let Some(origin) = head.followed_as() {
            batch.put(FOLLOWABLE_INVOICES, &(seller, contract, origin as u8, id), &());
        }
        if batch.rows() >= TOGETHER {
            store.write_blocking(std::mem::take(&mut batch))?;
        }
    }
    batch.put(FOLLOWABLE_LISTED, &0, &());
    store.write_blocking(batch)?;
    Ok(())
}
