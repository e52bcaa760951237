//! Events that came too late for their period.

use storage::{ReadError, Scan, Store};

use crate::domain::billing::usage::LateEvent;
use crate::domain::ids::{ContractId, SellerId, UsageEventId};
use crate::query::{Page, Paging};
use crate::tables::LATE_EVENTS;

/// The late events of a contract, newest first.
pub fn late_events(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    paging: Paging,
) -> Result<Page<LateEvent>, ReadError> {
    let mut scan = Scan::prefix(&(seller, contract)).reverse();
    if let Some(cursor) = paging.cursor {
        scan = scan.after(&(seller, contract, UsageEventId(cursor)));
    }
    let rows = store.scan(LATE_EVENTS, scan);
    paging.fill(rows.map(|row| row.map(|((_, _, id), late)| (id.0, late))))
}
