//! The invoices that later ones may go on from, in a store from before they were listed.

use storage::{Scan, Store};

use crate::backfill::{Rows, readable};
use crate::domain::ids::SellerId;
use crate::system::StartError;
use crate::tables::{CONTRACT_INVOICES, FOLLOWABLE_INVOICES};

/// Lists those of an account from before this was kept.
pub(crate) fn list_all(
    store: &Store,
    seller: SellerId,
    rows: &mut Rows<'_>,
) -> Result<(), StartError> {
    for row in store.scan(CONTRACT_INVOICES, Scan::prefix(&(seller,))) {
        // None goes on from what cannot be read.
        let Some(((_, contract, id), head)) = readable(row)? else { continue };
        if let Some(origin) = head.followed_as() {
            rows.put(FOLLOWABLE_INVOICES, &(seller, contract, origin as u8, id), &())?;
        }
    }
    Ok(())
}
