//! Proof that what is stored is right. Each rule that rows keep among each other is looked at from
//! the rows alone: sums and ledgers are computed anew, numbers have no gap, every claim has its
//! document and every document its claims, and rows that follow from others (places in lists,
//! heads, timers) are those that the others want, no fewer and no more.
//!
//! [`Reading`] is what checks read through, [`Run`] what they tell their faults to. Each check has
//! a file of its own; [`TABLES`] says which of them looks at which table.
//!
//! Of a [stopped](Rows::Still) store the answer is exact.
//!
//! A [running](Rows::Moving) one is read row by row while it is written, so that rows that were
//! written together may be met before and after. What looks wrong there is looked at again, some
//! times, from rows read anew and with pauses between; it is told if each look finds it, and only
//! looks count during which the row in question stayed as it was. So what is told is wrong. Not
//! found is what is wrong for less than these looks, what becomes wrong behind the walk, and what
//! is wrong in an object that is written all the time. What the whole store adds up to (the numbers
//! of links, sessions and tokens, which are found by hashes) is not compared, since both sides move.

mod claims;
mod contracts;
mod credit;
mod credit_packs;
mod deliveries;
mod documents;
mod events;
mod fault;
mod homes;
mod invoice_money;
mod invoices;
mod items;
mod letters;
mod link_subscriptions;
mod lists;
mod mails;
mod messages;
mod metering;
mod numbers;
mod payees;
mod payment_links;
mod payments;
mod payouts;
mod prorations;
mod reading;
mod run;
mod sellers;
mod shares;
mod strangers;
mod subscriptions;
mod tables;
#[cfg(test)]
mod tests;
mod timeline;
mod timers;
mod topups;
mod usage_days;
mod usage_lines;
mod wallets;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;
use storage::{ReadError, Scan, Store};

pub use self::fault::{Fault, MOST_FAULTS, Report};
pub use self::reading::Rows;
pub use self::tables::{By, TABLES, TableCheck};

use self::reading::Reading;
use self::run::Run;
use crate::domain::ids::SellerId;
use crate::tables::{SANDBOX_ENDS, SELLERS};

/// Threads that check a stopped store. A running one has other work to do: it gets one.
const THREADS: usize = 2;

#[derive(Clone, Copy)]
enum Check {
    /// Looks at what one seller has.
    Seller(fn(&mut Run<'_>, SellerId) -> Result<(), ReadError>),
    /// Looks at what is not kept by seller.
    All(fn(&mut Run<'_>) -> Result<(), ReadError>),
}

/// The checks, those that take long first.
const CHECKS: &[Check] = &[
    Check::Seller(invoices::check),
    Check::Seller(timers::check),
    Check::Seller(usage_days::check),
    Check::All(strangers::check),
    Check::Seller(payments::check),
    Check::Seller(payment_links::check),
    Check::Seller(link_subscriptions::check),
    Check::Seller(contracts::check),
    Check::Seller(lists::check),
    Check::Seller(events::check),
    Check::Seller(deliveries::check),
    Check::Seller(wallets::check),
    Check::Seller(subscriptions::check),
    Check::Seller(numbers::check),
    Check::Seller(timeline::check),
    Check::Seller(prorations::check),
    Check::Seller(credit::check),
    Check::Seller(claims::check),
    Check::Seller(metering::check),
    Check::Seller(items::check),
    Check::Seller(credit_packs::check),
    Check::Seller(usage_lines::check),
    Check::Seller(shares::check),
    Check::Seller(payouts::check),
    Check::Seller(payees::check),
    Check::Seller(topups::check),
    Check::Seller(messages::check),
    Check::Seller(letters::check),
    Check::Seller(mails::check),
    Check::Seller(sellers::check_owned),
    Check::All(sellers::check),
    Check::All(homes::check),
];

/// Looks at all rows. An error means that it could not look; rows that cannot be read are faults.
pub fn verify(store: &Store, rows: Rows) -> Result<Report, ReadError> {
    let reading = Reading::new(store.clone(), rows);
    let sellers = sellers_of(&reading)?;
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::new());
    let work = || -> Result<(), ReadError> {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(check) = CHECKS.get(place) else { return Ok(()) };
            let report = carry_out(*check, &reading, &sellers)?;
            reports.lock().push((place, report));
        }
    };
    let threads = if reading.moves() { 1 } else { THREADS };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        let ended = others.into_iter().map(|other| other.join().unwrap_or_else(|_| panicked()));
        ended.fold(own, Result::and)
    })?;
    let mut reports = reports.into_inner();
    reports.sort_by_key(|(place, _)| *place);
    let mut whole = Report::default();
    reports.into_iter().for_each(|(_, report)| whole.add(report));
    Ok(whole)
}

fn panicked() -> Result<(), ReadError> {
    Err(ReadError::Failed("a check has panicked".to_owned()))
}

fn carry_out(check: Check, reading: &Reading, sellers: &[SellerId]) -> Result<Report, ReadError> {
    let check = match check {
        Check::Seller(check) => check,
        Check::All(check) => {
            let mut run = Run::new(reading);
            check(&mut run)?;
            return Ok(run.finish());
        }
    };
    let mut whole = Report::default();
    for seller in sellers {
        let mut run = Run::new(reading);
        check(&mut run, *seller)?;
        // What a removed account had is gone piece by piece.
        if !reading.moves() || reading.contains(SELLERS, seller)? {
            whole.add(run.finish());
        }
    }
    Ok(whole)
}

/// The sellers, but for those that are being removed.
fn sellers_of(reading: &Reading) -> Result<Vec<SellerId>, ReadError> {
    let keys = reading.scan(SELLERS, Scan::all()).keys();
    keys.filter(|key| !matches!(key, Err(ReadError::Key { .. }))).collect()
}

/// The accounts of which some rows are there still and the account is not.
fn leaving(reading: &Reading) -> Result<BTreeSet<SellerId>, ReadError> {
    let ends = reading.scan(SANDBOX_ENDS, Scan::all()).keys();
    ends.map(|key| key.map(|(_, seller)| seller)).collect()
}
