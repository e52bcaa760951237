//! Closed usage: its lines, and corrections of what came late.

use storage::{ReadError, Store};

use super::{Page, Paging};
use crate::domain::billing::usage::{Adjustment, SeatChange, UsageLine};
use crate::domain::ids::{ContractId, SellerId, UsageLineId};
use crate::tables::{ADJUSTMENT_KEYS, SEAT_CHANGES, USAGE_ADJUSTMENTS, USAGE_LINES};

pub fn usage_line(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    id: UsageLineId,
) -> Result<Option<UsageLine>, ReadError> {
    store.get(USAGE_LINES, &(seller, contract, id))
}

/// The closed lines of a contract, newest first.
pub fn usage_lines(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    paging: Paging,
) -> Result<Page<UsageLine>, ReadError> {
    paging.page(store, USAGE_LINES, (seller, contract))
}

/// The corrections of a contract's late events, newest first.
pub fn adjustments(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    paging: Paging,
) -> Result<Page<Adjustment>, ReadError> {
    paging.page(store, USAGE_ADJUSTMENTS, (seller, contract))
}

pub fn adjustment_of(
    store: &Store,
    seller: SellerId,
    key: &str,
) -> Result<Option<Adjustment>, ReadError> {
    let Some(known) = store.get(ADJUSTMENT_KEYS, &(seller, key.to_owned()))? else {
        return Ok(None);
    };
    store.get(USAGE_ADJUSTMENTS, &(seller, known.contract, known.adjustment))
}

/// The changes of a contract's seats, newest first.
pub fn seat_changes(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    paging: Paging,
) -> Result<Page<SeatChange>, ReadError> {
    paging.page(store, SEAT_CHANGES, (seller, contract))
}
