//! Stored credit: ledgers and balances.

use std::collections::BTreeMap;

use storage::{ReadError, Reads, Scan, Store, View, Wanted};

use super::{Page, Paging};
use crate::domain::billing::credit::{CreditBalances, CreditEntry, CreditType, Lot};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::money::Currency;
use crate::domain::time::Timestamp;
use crate::tables::{CREDIT_BALANCES, CREDIT_ENTRIES, CREDIT_TOTALS, OPEN_LOTS, TIMERS};
use crate::timers::TimerKind;

/// Contracts whose expired lots are read together.
const TOGETHER: usize = 256;

/// Movements of a contract's credit, newest first.
pub fn credit_entries(
    store: &View,
    seller: SellerId,
    contract: ContractId,
    paging: Paging,
) -> Result<Page<CreditEntry>, ReadError> {
    paging.page(store, CREDIT_ENTRIES, (seller, contract))
}

/// What a contract has at `now`; `None` before it ever had credit.
pub fn credit_balances(
    store: &View,
    seller: SellerId,
    contract: ContractId,
    now: Timestamp,
) -> Result<Option<CreditBalances>, ReadError> {
    let mut reads = Reads::new();
    let (balances, lots) = balances_and_lots(&mut reads, (seller, contract));
    let mut found = store.read(&reads)?;
    let Some(mut balances) = found.take(balances)? else { return Ok(None) };
    for lot in expired(found.take(lots)?, now) {
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
    store.at_one_moment(|rows| credit_of_all(rows, seller, now))
}

fn credit_of_all(
    rows: &View,
    seller: SellerId,
    now: Timestamp,
) -> Result<Vec<(Currency, CreditType, i64)>, ReadError> {
    let mut sums: BTreeMap<(&'static str, CreditType), (Currency, i128)> = BTreeMap::new();
    for row in rows.scan(CREDIT_TOTALS, Scan::prefix(&(seller,))) {
        let ((_, currency, kind), sum) = row?;
        sums.insert((currency.code(), kind), (currency, sum.value()));
    }
    // Contracts with lots that have expired, and were not forfeited yet, have a timer that is due.
    let kind = TimerKind::CreditExpiry as u8;
    let mut due = Vec::new();
    for key in rows.scan(TIMERS, Scan::prefix(&(kind, seller))).keys() {
        let (_, _, at, contract) = key?;
        if at > now {
            break;
        }
        due.push(ContractId(contract));
    }
    for some in due.chunks(TOGETHER) {
        let mut reads = Reads::new();
        let asked: Vec<_> = some
            .iter()
            .map(|contract| balances_and_lots(&mut reads, (seller, *contract)))
            .collect();
        let mut found = rows.read(&reads)?;
        for (balances, lots) in asked {
            let Some(balances) = found.take(balances)? else { continue };
            for lot in expired(found.take(lots)?, now) {
                if let Some((_, sum)) = sums.get_mut(&(balances.currency.code(), lot.credit_type)) {
                    *sum -= i128::from(lot.left_minor);
                }
            }
        }
    }
    let sum = |sum: i128| i64::try_from(sum).unwrap_or(i64::MAX);
    Ok(sums.into_iter().map(|((_, kind), (of, minor))| (of, kind, sum(minor))).collect())
}

fn balances_and_lots(
    reads: &mut Reads,
    key: (SellerId, ContractId),
) -> (Wanted<Option<CreditBalances>>, Wanted<Vec<Lot>>) {
    (reads.get(CREDIT_BALANCES, &key), reads.values(OPEN_LOTS, Scan::prefix(&key)))
}

fn expired(lots: Vec<Lot>, now: Timestamp) -> impl Iterator<Item = Lot> {
    lots.into_iter().filter(move |lot| lot.is_expired(now))
}
