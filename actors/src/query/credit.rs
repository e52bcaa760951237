//! Stored credit: ledgers and balances.

use std::collections::BTreeMap;

use storage::{ReadError, Scan, ScanIter, Store};

use super::{Page, Paging};
use crate::domain::billing::credit::{CreditBalances, CreditEntry, CreditType, Lot};
use crate::domain::ids::{ContractId, CreditEntryId, SellerId};
use crate::domain::money::Currency;
use crate::domain::time::Timestamp;
use crate::tables::{CREDIT_BALANCES, CREDIT_ENTRIES, CREDIT_TOTALS, OPEN_LOTS, TIMERS};
use crate::timers::TimerKind;

/// Movements of a contract's credit, newest first.
pub fn credit_entries(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    paging: Paging,
) -> Result<Page<CreditEntry>, ReadError> {
    paging.page(store, CREDIT_ENTRIES, (seller, contract))
}

/// What a contract has at `now`; `None` before it ever had credit.
pub fn credit_balances(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    now: Timestamp,
) -> Result<Option<CreditBalances>, ReadError> {
    let Some(mut balances) = store.get(CREDIT_BALANCES, &(seller, contract))? else {
        return Ok(None);
    };
    let lots = store.scan(OPEN_LOTS, Scan::prefix(&(seller, contract)));
    for lot in expired(lots, now)? {
        balances.add(lot.credit_type, -lot.left_minor);
    }
    Ok(Some(balances))
}

/// What all contracts of a seller have together at `now`, by currency and type.
pub fn seller_credit(
    store: &Store,
    seller: SellerId,
    now: Timestamp,
) -> Result<Vec<(Currency, CreditType, i64)>, ReadError> {
    // As of one moment: a lot is in the total for as long as its timer is there.
    let rows = store.snapshot()?;
    let mut sums: BTreeMap<(&'static str, CreditType), (Currency, i128)> = BTreeMap::new();
    for row in rows.scan(CREDIT_TOTALS, Scan::prefix(&(seller,))) {
        let ((_, currency, kind), sum) = row?;
        sums.insert((currency.code(), kind), (currency, sum.value()));
    }
    // Contracts with lots that have expired, and were not forfeited yet, have a timer that is due.
    let kind = TimerKind::CreditExpiry as u8;
    for row in rows.scan(TIMERS, Scan::prefix(&(kind, seller))) {
        let ((_, _, at, contract), ()) = row?;
        if at > now {
            break;
        }
        let contract = ContractId(contract);
        let Some(balances) = rows.get(CREDIT_BALANCES, &(seller, contract))? else { continue };
        for lot in expired(rows.scan(OPEN_LOTS, Scan::prefix(&(seller, contract))), now)? {
            if let Some((_, sum)) = sums.get_mut(&(balances.currency.code(), lot.credit_type)) {
                *sum -= i128::from(lot.left_minor);
            }
        }
    }
    let sum = |sum: i128| i64::try_from(sum).unwrap_or(i64::MAX);
    Ok(sums.into_iter().map(|((_, kind), (of, minor))| (of, kind, sum(minor))).collect())
}

type Lots = ScanIter<(SellerId, ContractId, CreditEntryId), Lot>;

fn expired(lots: Lots, now: Timestamp) -> Result<Vec<Lot>, ReadError> {
    let expired = lots.filter_map(|row| match row {
        Ok((_, lot)) => lot.is_expired(now).then_some(Ok(lot)),
        Err(error) => Some(Err(error)),
    });
    expired.collect()
}
