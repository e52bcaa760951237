//! Stored credit: ledgers and balances.

use std::collections::BTreeMap;

use storage::{ReadError, Scan, Store};

use super::{Page, Paging};
use crate::domain::billing::credit::{CreditBalances, CreditEntry, CreditType, Lot};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::money::Currency;
use crate::domain::time::Timestamp;
use crate::tables::{CREDIT_BALANCES, CREDIT_ENTRIES, OPEN_LOTS, TIMERS};
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
    for lot in expired(store, seller, contract, now)? {
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
    let mut sums: BTreeMap<(&'static str, CreditType), (Currency, i128)> = BTreeMap::new();
    let mut add = |currency: Currency, kind: CreditType, minor: i64| {
        let (_, sum) = sums.entry((currency.code(), kind)).or_insert((currency, 0));
        *sum += i128::from(minor);
    };
    for row in store.scan(CREDIT_BALANCES, Scan::prefix(&(seller,))) {
        let (_, balances) = row?;
        balances.by_type.iter().for_each(|(kind, minor)| add(balances.currency, *kind, *minor));
    }
    // Contracts with lots that have expired, and were not forfeited yet, have a timer that is due.
    let kind = TimerKind::CreditExpiry as u8;
    for row in store.scan(TIMERS, Scan::prefix(&(kind, seller))) {
        let ((_, _, at, contract), ()) = row?;
        if at > now {
            break;
        }
        let contract = ContractId(contract);
        let Some(balances) = store.get(CREDIT_BALANCES, &(seller, contract))? else { continue };
        for lot in expired(store, seller, contract, now)? {
            add(balances.currency, lot.credit_type, -lot.left_minor);
        }
    }
    let sum = |sum: i128| i64::try_from(sum).unwrap_or(i64::MAX);
    Ok(sums.into_iter().map(|((_, kind), (of, minor))| (of, kind, sum(minor))).collect())
}

fn expired(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    now: Timestamp,
) -> Result<Vec<Lot>, ReadError> {
    let lots = store.scan(OPEN_LOTS, Scan::prefix(&(seller, contract)));
    let expired = lots.filter_map(|row| match row {
        Ok((_, lot)) => lot.is_expired(now).then_some(Ok(lot)),
        Err(error) => Some(Err(error)),
    });
    expired.collect()
}
