//! Timers are rows: written with the change that wants them, in order of their instant.

use std::collections::BTreeMap;

use storage::{Batch, ReadError, Scan, Store};

use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;
use crate::tables::TIMERS;

/// What is to be done when a timer is due. The numbers are on disk and never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TimerKind {
    /// A contract's subscriptions have something to do; run by the lifecycle pass.
    Lifecycle = 1,
    /// The same for a contract on a test clock: scheduled passes leave it alone.
    HeldLifecycle = 2,
    /// A contract has a due, unbilled term; run by the recurring invoice pass.
    Recurring = 3,
    /// The same for a contract on a test clock.
    HeldRecurring = 4,
    /// An invoice of a contract becomes overdue.
    Overdue = 5,
    /// A payment settles, expires or is asked for again.
    Payment = 6,
    /// A metric of a contract has an ended period to be closed; by the wall clock.
    UsageClose = 7,
    /// A contract has closed usage that no document carries; by the wall clock.
    UsageInvoice = 8,
    /// The provider of a live payment is asked whether its funds are available.
    Settlement = 9,
    /// A demo payee is verified, or one of its payouts arrives.
    Payee = 20,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// When it is, or was, due.
    pub at: Timestamp,
    pub seller: SellerId,
    /// The object: a contract, a payment or a payee, by the timer's kind.
    pub object: u64,
}

/// The timers of one object, as they are on disk; at most one of each kind.
#[derive(Clone, Debug, Default)]
pub struct Timers {
    set: BTreeMap<TimerKind, Timestamp>,
}

impl Timers {
    /// Timers that are on disk already, as the object's rows say.
    pub fn known(set: BTreeMap<TimerKind, Timestamp>) -> Self {
        Self { set }
    }

    /// Makes the rows agree with what is wanted now; writes only what differs.
    pub fn set(
        &mut self,
        batch: &mut Batch,
        seller: SellerId,
        object: u64,
        wanted: BTreeMap<TimerKind, Timestamp>,
    ) {
        for (kind, at) in &self.set {
            if wanted.get(kind) != Some(at) {
                batch.delete(TIMERS, &(*kind as u8, *at, seller, object));
            }
        }
        for (kind, at) in &wanted {
            if self.set.get(kind) != Some(at) {
                batch.put(TIMERS, &(*kind as u8, *at, seller, object), &());
            }
        }
        self.set = wanted;
    }
}

/// The timers of a kind that are due at `now`, soonest first, at most `limit`.
pub fn due(
    store: &Store,
    kind: TimerKind,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Due>, ReadError> {
    let until = Timestamp::from_micros(now.micros().saturating_add(1));
    store
        .scan(TIMERS, Scan::prefix(&(kind as u8,)).until(&(kind as u8, until)))
        .take(limit)
        .map(|row| row.map(|((_, at, seller, object), ())| Due { at, seller, object }))
        .collect()
}
