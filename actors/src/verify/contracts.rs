//! Contracts: their versions, numbers and heads of invoices.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{At, Found, Run};
use crate::chunked::Chunked;
use crate::contract::CONTRACT_ORDER;
use crate::domain::billing::contract::{Contract, ContractStatus};
use crate::domain::billing::invoice::FollowedInvoices;
use crate::domain::ids::{ContractId, SellerId};
use crate::tables::{
    ACTIVE_CONTRACTS, CARDS_ON_FILE, CLOCKS, CONTRACT_INVOICES, CONTRACT_PARTS, CONTRACT_VERSIONS,
    CONTRACTS, CUSTOMERS, FOLLOWED_INVOICES, VERSION_PARTS,
};

type Key = (SellerId, ContractId);

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(CONTRACTS, all(), contract)?;
    run.no_others(CONTRACT_VERSIONS, all(), |reading, (seller, id, version), _| {
        let known = known(reading, &(*seller, *id))?;
        Ok(known.is_some_and(|known| (1..=known.current.version).contains(version)))
    })?;
    run.no_others(ACTIVE_CONTRACTS, all(), |reading, (seller, customer, currency, id), ()| {
        let known = known(reading, &(*seller, *id))?;
        Ok(known.is_some_and(|known| {
            is_active(&known) && (known.customer, known.currency) == (*customer, *currency)
        }))
    })?;
    run.no_others(FOLLOWED_INVOICES, all(), |reading, key, _| {
        Ok(followed(reading, key)? != FollowedInvoices::default())
    })?;
    run.each(CLOCKS, all(), |reading, key, _, found| {
        found.names(reading, CONTRACTS, key).map(|_| ())
    })?;
    run.each(CARDS_ON_FILE, all(), |reading, key, (), found| {
        found.names(reading, CONTRACTS, key).map(|_| ())
    })?;
    run.each(CONTRACT_PARTS, all(), |reading, (key, _), _, found| {
        found.names(reading, CONTRACTS, key).map(|_| ())
    })?;
    run.each(VERSION_PARTS, all(), |reading, (key, _), _, found| {
        found.names(reading, CONTRACT_VERSIONS, key).map(|_| ())
    })?;
    numbers(run, seller)
}

fn contract(
    reading: &Reading,
    key: &Key,
    row: &Chunked<Contract>,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let contract = reading.joined(CONTRACTS, (key, row), CONTRACT_PARTS, key)?;
    let Contract { customer, currency, .. } = contract;
    found.same("contract under its own key", *key, (contract.seller, contract.id));
    found.names(reading, CUSTOMERS, &(key.0, customer))?;
    let mut last = 0;
    for row in reading.scan(CONTRACT_VERSIONS, Scan::prefix(key)) {
        let (at, row) = row?;
        found.same("contract versions without a gap", last + 1, at.2);
        let version = reading.joined(CONTRACT_VERSIONS, (&at, &row), VERSION_PARTS, &at)?;
        found.same("contract version under its own key", at.2, version.version);
        if at.2 == contract.current.version {
            found.same("current version of a contract", &contract.current, &version);
        }
        found.has(CONTRACT_VERSIONS, 1);
        last = at.2;
    }
    found.same("last version of a contract", contract.current.version, last);
    if is_active(&contract) {
        found.wants(reading, ACTIVE_CONTRACTS, &(key.0, customer, currency, key.1), &())?;
    }
    let followed = followed(reading, key)?;
    if followed != FollowedInvoices::default() {
        found.wants(reading, FOLLOWED_INVOICES, key, &followed)?;
    }
    Ok(())
}

fn known(reading: &Reading, key: &Key) -> Result<Option<Contract>, ReadError> {
    let row = reading.get(CONTRACTS, key)?;
    row.map(|row| reading.joined(CONTRACTS, (key, &row), CONTRACT_PARTS, key)).transpose()
}

fn is_active(contract: &Contract) -> bool {
    contract.current.status == ContractStatus::Active
}

/// The newest invoices that later ones go on from.
fn followed(reading: &Reading, key: &Key) -> Result<FollowedInvoices, ReadError> {
    let mut followed = FollowedInvoices::default();
    for row in reading.scan(CONTRACT_INVOICES, Scan::prefix(key).reverse()) {
        let ((.., id), head) = row?;
        if head.continues {
            followed.by_recurring.get_or_insert(id);
        }
        if head.is_followed_by_usage() {
            followed.by_usage.get_or_insert(id);
        }
        if followed.by_recurring.is_some() && followed.by_usage.is_some() {
            break;
        }
    }
    Ok(followed)
}

/// Contracts are numbered in the order of their ids, without a gap: both are drawn in one commit.
fn numbers(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let reading = run.reading;
    let sequence = (CONTRACT_ORDER.to_owned(), seller);
    let drawn = reading.drawn(&sequence)?;
    let mut last = 0;
    for row in reading.scan(CONTRACTS, Scan::prefix(&(seller,))) {
        // What cannot be read was told already.
        let Ok((key, row)) = row else { continue };
        let Ok(contract) = reading.joined(CONTRACTS, (&key, &row), CONTRACT_PARTS, &key) else {
            continue;
        };
        let Some(order) = contract.order else { continue };
        run.settle(&At::new(CONTRACTS, &key), |_, found, _| {
            found.same("contract numbers without a gap", last + 1, order);
            Ok(())
        })?;
        last = order;
    }
    run.settle(&At::new(CONTRACTS, &seller_of(seller)), |reading, found, _| {
        // Those that came after the walk had begun may have been met or not.
        let enough = drawn <= last && (reading.moves() || drawn == last);
        if !enough {
            found.same("last contract number", drawn, last);
        }
        Ok(())
    })
}

fn seller_of(seller: SellerId) -> Key {
    (seller, ContractId(0))
}
