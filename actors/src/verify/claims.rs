//! Idempotency keys: what a key made is there, and what is made under keys has one.

use std::fmt::Debug;

use storage::{Key, ReadError, Record, Scan, Table};

use super::run::Run;
use crate::domain::ids::SellerId;
use crate::tables::{
    ADHOC_CONTRACTS, CONTRACT_KEYS, CONTRACTS, CREDIT_ENTRIES, CREDIT_KEYS, INVOICE_KEYS, INVOICES,
    PAYOUT_KEYS, PAYOUTS, SUBSCRIPTION_HOMES, SUBSCRIPTION_KEYS,
};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    // Objects first: a key comes with its object, and stays.
    let contracts = ids(run, CONTRACTS, seller, |(_, id)| id.0)?;
    let subscriptions = ids(run, SUBSCRIPTION_HOMES, seller, |(_, id)| id.0)?;
    run.each(CONTRACT_KEYS, all(), |reading, (seller, _), id, found| {
        found.names(reading, CONTRACTS, &(*seller, *id)).map(|_| ())
    })?;
    run.each(ADHOC_CONTRACTS, all(), |reading, (seller, ..), id, found| {
        found.names(reading, CONTRACTS, &(*seller, *id)).map(|_| ())
    })?;
    let mut named = values(run, CONTRACT_KEYS, seller, |id| id.0)?;
    named.extend(values(run, ADHOC_CONTRACTS, seller, |id| id.0)?);
    once_each(run, "contract without the key that made it", contracts, named, |id| {
        format!("contracts ({seller:?}, ContractId({id}))")
    })?;

    run.each(SUBSCRIPTION_KEYS, all(), |reading, (seller, _), made, found| {
        let key = (*seller, made.subscription);
        found.agrees(reading, SUBSCRIPTION_HOMES, &key, &made.contract).map(|_| ())
    })?;
    let named = values(run, SUBSCRIPTION_KEYS, seller, |made| made.subscription.0)?;
    once_each(run, "subscription without the key that made it", subscriptions, named, |id| {
        format!("subscription homes ({seller:?}, SubscriptionId({id}))")
    })?;

    // Passes issue invoices without a key.
    run.each(INVOICE_KEYS, all(), |reading, (seller, _), made, found| {
        found.names(reading, INVOICES, &(*seller, made.invoice)).map(|_| ())
    })?;
    run.each(CREDIT_KEYS, all(), |reading, (seller, _), made, found| {
        found.names(reading, CREDIT_ENTRIES, &(*seller, made.contract, made.entry)).map(|_| ())
    })?;
    run.each(PAYOUT_KEYS, all(), |reading, (seller, key), made, found| {
        let of = reading.get(PAYOUTS, &(*seller, made.payout))?.map(|made| made.idempotency_key);
        found.same("payout of an idempotency key", Some(key), of.as_ref());
        Ok(())
    })
}

fn ids<K: Key + Debug, V: Record>(
    run: &mut Run<'_>,
    table: Table<K, V>,
    seller: SellerId,
    id: impl Fn(&K) -> u64,
) -> Result<Vec<u64>, ReadError> {
    let mut ids = Vec::new();
    for key in run.reading.scan(table, Scan::prefix(&(seller,))).keys() {
        match key {
            Ok(key) => ids.push(id(&key)),
            Err(error) => run.unreadable(error)?,
        }
    }
    Ok(ids)
}

fn values<K: Key, V: Record>(
    run: &mut Run<'_>,
    table: Table<K, V>,
    seller: SellerId,
    id: impl Fn(&V) -> u64,
) -> Result<Vec<u64>, ReadError> {
    let mut ids = Vec::new();
    for row in run.reading.scan(table, Scan::prefix(&(seller,))) {
        match row {
            Ok((_, row)) => ids.push(id(&row)),
            Err(error) => run.unreadable(error)?,
        }
    }
    Ok(ids)
}

/// Each of `ids` is named once.
fn once_each(
    run: &mut Run<'_>,
    what: &'static str,
    ids: Vec<u64>,
    mut named: Vec<u64>,
    place: impl Fn(u64) -> String,
) -> Result<(), ReadError> {
    named.sort_unstable();
    for id in ids {
        let from = named.partition_point(|one| *one < id);
        let times = named[from..].iter().take_while(|one| **one == id).count();
        if times != 1 {
            run.settle(&place(id), |_, found, _| {
                found.wrong(what, "one key", &format!("{times} keys"));
                Ok(())
            })?;
        }
    }
    Ok(())
}
