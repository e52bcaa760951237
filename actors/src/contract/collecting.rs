//! Which contracts of a customer have an invoice whose collection goes on: those that are told of
//! a new card, however many such invoices each has.

use storage::{Batch, Scan, Store};

use super::room::ContractRoom;
use crate::backfill::{Rows, readable};
use crate::domain::ids::SellerId;
use crate::system::StartError;
use crate::tables::{COLLECTING_CONTRACTS, COLLECTIONS, INVOICES};

impl ContractRoom {
    pub(super) fn collects(&self) -> bool {
        !self.agenda.collections.is_empty()
    }

    /// Lists the contract as long as it has such an invoice; whether it `collected` before, so that
    /// it is listed with the first and no longer after the last.
    pub(super) fn keep_collecting(&self, collected: bool, rows: &mut Batch) {
        let collects = self.collects();
        let Some(contract) = self.contract.as_ref().filter(|_| collects != collected) else {
            return;
        };
        let key = (self.seller, contract.customer, self.id);
        match collects {
            // One batch may delete the row and put it again.
            true => rows.put(COLLECTING_CONTRACTS, &key, &()),
            false => rows.delete(COLLECTING_CONTRACTS, &key),
        }
    }
}

/// Lists the contracts of an account from before this was kept.
pub(crate) fn list_all(
    store: &Store,
    seller: SellerId,
    rows: &mut Rows<'_>,
) -> Result<(), StartError> {
    let mut listed = None;
    for key in store.scan(COLLECTIONS, Scan::prefix(&(seller,))).keys() {
        let Some((_, contract, _, invoice)) = readable(key)? else { continue };
        if listed == Some(contract) {
            continue;
        }
        // All invoices of a contract are its one customer's.
        if let Some(Some(invoice)) = readable(store.get(INVOICES, &(seller, invoice)))? {
            rows.put(COLLECTING_CONTRACTS, &(seller, invoice.customer, contract), &())?;
            listed = Some(contract);
        }
    }
    Ok(())
}
