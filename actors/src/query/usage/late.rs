//! Events that came too late for their period.

use storage::{ReadError, Store};

use crate::domain::billing::usage::LateEvent;
use crate::domain::ids::{ContractId, SellerId};
use crate::query::{Page, Paging};
use crate::tables::LATE_EVENTS;

/// The late events of a contract, newest first.
pub fn late_events(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    paging: Paging,
) -> Result<Page<LateEvent>, ReadError> {
    paging.page(store, LATE_EVENTS, (seller, contract))
}
