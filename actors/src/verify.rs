//! Proof that what is stored is right. Each rule that rows keep among each other is looked at from
//! the rows alone: sums and ledgers are computed anew, numbers have no gap, every claim has its
//! document and every document its claims, and rows that follow from others (places in lists,
//! heads, timers) are those that the others want, no fewer and no more.
//!
//! [`Reading`] is what checks read through, [`Run`] what they tell their faults to. Each check has
//! a file of its own; [`TABLES`] says which of them looks at which table.
//!
//! Each check of an account reads all rows as of one moment, so that what it finds is exact, of a
//! [running](Rows::Moving) store as of a [stopped](Rows::Still) one.
//!
//! Beside others who write, the checks share a moment for as long as nobody has to wait for its end,
//! and rest while they go on. Where so much is written that it ends within a check, the next ones
//! get a moment of their own, and this one reads rows as they come: what looks wrong is looked at
//! once more then, as of one moment, and what is found counts. What many objects add up to (the
//! numbers of links, sessions and tokens, which are found by hashes) that check does not compare.

mod claims;
mod collecting;
mod contracts;
mod credit;
mod credit_packs;
mod deliveries;
mod documents;
mod events;
mod fault;
mod homes;
mod invoice_money;
mod invoice_payments;
mod invoices;
mod items;
mod letters;
mod link_subscriptions;
mod lists;
mod mails;
mod messages;
mod metering;
mod numbers;
mod overviews;
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
mod terminals;
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

/// Threads that check a stopped store. A running one has other work to do: one checks it.
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
    Check::Seller(overviews::check),
    Check::Seller(wallets::check),
    Check::Seller(subscriptions::check),
    Check::Seller(numbers::check),
    Check::Seller(timeline::check),
    Check::Seller(prorations::check),
    Check::Seller(credit::check),
    Check::Seller(claims::check),
    Check::Seller(metering::check),
    Check::Seller(items::check),
    Check::Seller(collecting::check),
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
    match rows {
        Rows::Still => of_still_rows(store),
        Rows::Moving => of_moving_rows(store),
    }
}

fn of_still_rows(store: &Store) -> Result<Report, ReadError> {
    let reading = Reading::at_once(store)?;
    let sellers = sellers_of(&reading)?;
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::new());
    let work = || -> Result<(), ReadError> {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(check) = CHECKS.get(place) else { return Ok(()) };
            let mut report = Report::default();
            for seller in check.goes_over(&sellers) {
                report.add(check.carry_out(&reading, seller)?);
            }
            reports.lock().push((place, report));
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..THREADS).map(|_| scope.spawn(work)).collect();
        let own = work();
        let ended = others.into_iter().map(|other| other.join().unwrap_or_else(|_| panicked()));
        ended.fold(own, Result::and)
    })?;
    let mut reports = reports.into_inner();
    reports.sort_by_key(|(place, _)| *place);
    let mut whole = Report { is_of_one_moment: true, ..Report::default() };
    reports.into_iter().for_each(|(_, report)| whole.add(report));
    Ok(whole)
}

fn of_moving_rows(store: &Store) -> Result<Report, ReadError> {
    let sellers = sellers_of(&Reading::of_now(store))?;
    let mut moment = Reading::of_a_moment(store)?;
    let mut whole = Report { is_of_one_moment: true, ..Report::default() };
    for check in CHECKS {
        for seller in check.goes_over(&sellers) {
            let report = match check.carry_out(&moment, seller) {
                Err(ReadError::SnapshotGone) => {
                    whole.is_of_one_moment = false;
                    drop(moment);
                    let report = check.carry_out(&Reading::of_now(store), seller);
                    moment = Reading::of_a_moment(store)?;
                    report
                }
                report => report,
            };
            whole.add(report?);
        }
    }
    Ok(whole)
}

fn panicked() -> Result<(), ReadError> {
    Err(ReadError::Failed("a check has panicked".to_owned()))
}

impl Check {
    /// The accounts that it looks at one by one; none where it looks at all together.
    fn goes_over(self, sellers: &[SellerId]) -> Vec<Option<SellerId>> {
        match self {
            Self::Seller(_) => sellers.iter().copied().map(Some).collect(),
            Self::All(_) => vec![None],
        }
    }

    fn carry_out(self, reading: &Reading, seller: Option<SellerId>) -> Result<Report, ReadError> {
        let mut run = Run::new(reading);
        match (self, seller) {
            (Self::Seller(check), Some(seller)) => check(&mut run, seller)?,
            (Self::All(check), _) => check(&mut run)?,
            (Self::Seller(_), None) => {}
        }
        let report = reading.vouch(run.finish())?;
        // What a removed account had is gone piece by piece.
        let removed = match seller {
            Some(seller) => !reading.contains(SELLERS, &seller)?,
            None => false,
        };
        Ok(if removed { Report::default() } else { report })
    }
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
