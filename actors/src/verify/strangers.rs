//! All rows of the store as bytes: each is what was written under its key, of a table that is
//! known, and of an account that is there.

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use storage::{FIRST_RESERVED_TAG, ReadError, Scan};

use super::run::Run;
use super::tables::TABLES;
use super::{leaving, sellers_of};
use crate::directory::EVERYONE;
use crate::domain::ids::SellerId;
use crate::tables::{OWNED, SELLERS, TIMERS};
use crate::timers::TimerKind;

pub(super) fn check(run: &mut Run<'_>) -> Result<(), ReadError> {
    let reading = run.reading;
    let names: BTreeMap<u16, &'static str> =
        TABLES.iter().map(|table| (table.tag, table.name)).collect();
    let leaving = leaving(reading)?;
    let mut last: Option<SellerId> = sellers_of(reading)?.first().copied();
    let mut rows = 0;
    for row in reading.export() {
        rows += 1;
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                run.unreadable(named(error, &names))?;
                continue;
            }
        };
        let tag = row.tag();
        if tag >= FIRST_RESERVED_TAG {
            continue;
        }
        let Some(name) = names.get(&tag).copied() else {
            let place = format!("table {tag}, key {}", HEXLOWER.encode(row.key_in_table()));
            run.settle(&place, |_, found, _| {
                found.wrong("row of no known table", "no row", "a row");
                Ok(())
            })?;
            continue;
        };
        let Some(seller) = owner(tag, row.key_in_table()) else { continue };
        if last == Some(seller) || seller == EVERYONE || leaving.contains(&seller) {
            continue;
        }
        let place = format!("{name} (key {})", HEXLOWER.encode(row.key_in_table()));
        run.settle(&place, |reading, found, _| {
            let there = reading.contains(SELLERS, &seller)?;
            found.holds("row of an account that is there", there, &seller);
            Ok(())
        })?;
        if reading.contains(SELLERS, &seller)? {
            last = Some(seller);
        }
    }
    run.count("rows of all tables", rows);
    kinds(run)
}

/// Timers are of known kinds.
fn kinds(run: &mut Run<'_>) -> Result<(), ReadError> {
    let mut scan = Scan::all().by_key();
    while let Some(key) = run.reading.scan(TIMERS, scan.first()).keys().next() {
        let Ok((kind, ..)) = key else { break };
        let known = TimerKind::ALL.iter().any(|one| *one as u8 == kind);
        run.settle(&format!("timers of kind {kind}"), |_, found, _| {
            found.holds("kind of timers that is known", known, &kind);
            Ok(())
        })?;
        scan = Scan::all().by_key().after(&(kind,));
    }
    Ok(())
}

/// The seller with which the key of a row begins.
fn owner(tag: u16, key: &[u8]) -> Option<SellerId> {
    let skipped = match tag {
        _ if OWNED.contains(&tag) => 0,
        _ if tag == TIMERS.tag() => 1,
        _ => return None,
    };
    let bytes = key.get(skipped..)?.first_chunk::<8>()?;
    Some(SellerId(u64::from_be_bytes(*bytes)))
}

/// A damaged row by the name of its table.
fn named(error: ReadError, names: &BTreeMap<u16, &'static str>) -> ReadError {
    let ReadError::Damaged { key, .. } = &error else { return error };
    // Behind the shard.
    let tag = key.get(4..8).and_then(|tag| u16::from_str_radix(tag, 16).ok());
    match tag.and_then(|tag| names.get(&tag)) {
        Some(table) => ReadError::Damaged { table, key: key[8..].to_owned() },
        None => error,
    }
}
