//! Closed usage: its lines, and corrections of what came late.

use storage::{ReadError, Scan, Store};

use super::{Page, Paging};
use crate::domain::billing::usage::{Adjustment, SeatChange, UsageLine};
use crate::domain::ids::{AdjustmentId, ContractId, SeatChangeId, SellerId, UsageLineId};
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
    let mut scan = Scan::prefix(&(seller, contract)).reverse();
    if let Some(cursor) = paging.cursor {
        scan = scan.after(&(seller, contract, UsageLineId(cursor)));
    }
    paging.fill(store.scan(USAGE_LINES, scan).map(|row| row.map(|(key, line)| (key.2.0, line))))
}

/// The corrections of a contract's late events, newest first.
pub fn adjustments(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    paging: Paging,
) -> Result<Page<Adjustment>, ReadError> {
    let mut scan = Scan::prefix(&(seller, contract)).reverse();
    if let Some(cursor) = paging.cursor {
        scan = scan.after(&(seller, contract, AdjustmentId(cursor)));
    }
    let rows = store.scan(USAGE_ADJUSTMENTS, scan);
    paging.fill(rows.map(|row| row.map(|(key, found)| (key.2.0, found))))
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
    let mut scan = Scan::prefix(&(seller, contract)).reverse();
    if let Some(cursor) = paging.cursor {
        scan = scan.after(&(seller, contract, SeatChangeId(cursor)));
    }
    paging.fill(store.scan(SEAT_CHANGES, scan).map(|row| row.map(|(key, found)| (key.2.0, found))))
}
