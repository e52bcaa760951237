//! Contracts, their versions and their timeline.

use storage::{ReadError, Scan, Store, View};

use super::page::{Seen, sized};
use super::{Page, Paging};
use crate::chunked;
use crate::domain::billing::contract::{Contract, ContractVersion};
use crate::domain::billing::timeline::TimelineEntry;
use crate::domain::ids::{ContractId, CustomerId, SellerId, TimelineId};
use crate::domain::money::Currency;
use crate::tables::{
    ACTIVE_CONTRACTS, ADHOC_CONTRACTS, COLLECTING_CONTRACTS, CONTRACT_PARTS, CONTRACT_VERSIONS,
    CONTRACTS, TIMELINE, VERSION_PARTS,
};

/// What an entry of a timeline takes at most: a few fields and a sentence.
const ENTRY_BYTES: usize = 512;

pub fn contract(
    store: &View,
    seller: SellerId,
    id: ContractId,
) -> Result<Option<Contract>, ReadError> {
    let key = (seller, id);
    chunked::get(store, CONTRACTS, &key, CONTRACT_PARTS, &key)
}

pub fn contract_version(
    store: &Store,
    seller: SellerId,
    id: ContractId,
    version: u64,
) -> Result<Option<ContractVersion>, ReadError> {
    let key = (seller, id, version);
    chunked::get(store, CONTRACT_VERSIONS, &key, VERSION_PARTS, &key)
}

/// The contracts of a seller, oldest first.
pub fn contracts(
    store: &Store,
    seller: SellerId,
    paging: Paging,
) -> Result<Page<Contract>, ReadError> {
    let mut scan = Scan::prefix(&(seller,));
    if let Some(cursor) = paging.cursor {
        scan = scan.after(&(seller, ContractId(cursor)));
    }
    let rows = store.scan(CONTRACTS, scan);
    let rows = rows.map(|row| row.map(|((_, id), row)| Seen::Row(id.0, row)));
    paging.fill(rows, |id, row| {
        let key = (seller, ContractId(id));
        let row = (&key, row);
        Ok(Some(sized(chunked::join(store, row, CONTRACTS, CONTRACT_PARTS, &key)?)))
    })
}

/// The first active contracts of a customer.
pub fn active_contracts(
    store: &Store,
    seller: SellerId,
    customer: CustomerId,
    most: usize,
) -> Result<Vec<ContractId>, ReadError> {
    let rows = store.scan(ACTIVE_CONTRACTS, Scan::prefix(&(seller, customer)));
    rows.take(most).map(|row| row.map(|((.., contract), ())| contract)).collect()
}

/// The first contracts of a customer that have an invoice whose collection goes on.
pub fn collecting_contracts(
    store: &Store,
    seller: SellerId,
    customer: CustomerId,
    most: usize,
) -> Result<Vec<ContractId>, ReadError> {
    let keys = store.scan(COLLECTING_CONTRACTS, Scan::prefix(&(seller, customer))).keys();
    keys.take(most).map(|key| key.map(|(.., contract)| contract)).collect()
}

/// The oldest active contract of a customer in a currency.
pub fn oldest_active_contract(
    store: &Store,
    seller: SellerId,
    customer: CustomerId,
    currency: Currency,
) -> Result<Option<ContractId>, ReadError> {
    let active = Scan::prefix(&(seller, customer, currency));
    let first = store.scan(ACTIVE_CONTRACTS, active).next().transpose()?;
    Ok(first.map(|((_, _, _, id), ())| id))
}

/// The contract that was last made for ad-hoc invoices to a customer in a currency.
pub fn last_adhoc_contract(
    store: &Store,
    seller: SellerId,
    customer: CustomerId,
    currency: Currency,
) -> Result<Option<ContractId>, ReadError> {
    let made = Scan::prefix(&(seller, customer, currency)).reverse();
    Ok(store.scan(ADHOC_CONTRACTS, made).next().transpose()?.map(|(_, id)| id))
}

/// The versions of a contract, newest first.
pub fn versions(
    store: &Store,
    seller: SellerId,
    id: ContractId,
    paging: Paging,
) -> Result<Page<ContractVersion>, ReadError> {
    let rows = paging.newest(store, CONTRACT_VERSIONS, (seller, id));
    paging.fill(rows, |version, row| {
        let key = (seller, id, version);
        let row = (&key, row);
        Ok(Some(sized(chunked::join(store, row, CONTRACT_VERSIONS, VERSION_PARTS, &key)?)))
    })
}

/// The timeline of a contract, newest first.
pub fn timeline(
    store: &Store,
    seller: SellerId,
    id: ContractId,
    paging: Paging,
) -> Result<Page<(TimelineId, TimelineEntry)>, ReadError> {
    let mut scan = Scan::prefix(&(seller, id)).reverse();
    if let Some(cursor) = paging.cursor {
        // A row lies under its first entry: the row of the cursor itself is read again.
        scan = scan.until(&(seller, id, TimelineId(cursor)));
    }
    let newest_first = store.scan(TIMELINE, scan).flat_map(|row| {
        let entries: Vec<_> = match row {
            Ok((_, row)) => row.0.into_iter().rev().map(Ok).collect(),
            Err(error) => vec![Err(error)],
        };
        entries
    });
    let behind = |entry: &Result<(TimelineId, TimelineEntry), ReadError>| {
        let below = |id: u64| paging.cursor.is_none_or(|cursor| id < cursor);
        entry.as_ref().map_or(true, |(id, _)| below(id.0))
    };
    let rows =
        newest_first.filter(behind).map(|entry| entry.map(|entry| Seen::Row(entry.0.0, entry)));
    paging.fill(rows, |_, entry| Ok(Some((entry, ENTRY_BYTES))))
}
