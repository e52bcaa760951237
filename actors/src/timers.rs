//! Timers are rows: written with the change that wants them, for each seller in order of their
//! instant. A room compares those of its object with what its rules want now when it starts, and
//! whenever one is met that it did not know of.

mod calendar;

use std::collections::{BTreeMap, BTreeSet};

use storage::{Batch, ReadError, Reads, Scan, Store};

use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;
use crate::queue::Line;
use crate::tables::TIMERS;

pub use calendar::{Calendar, Listed};

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
    /// A contract has corrections below 0 that no document is to carry any more; by the wall clock,
    /// run by the usage invoice pass where credits are on.
    UsageCredit = 37,
    /// The provider of a live payment is asked whether its funds are available.
    Settlement = 9,
    /// A call to a provider is under way: from this instant on its answer counts as lost.
    ProviderCall = 10,
    /// A subscription of a contract has ended with a plan change to be charged still; run by the
    /// recurring invoice pass where plan changes are bound to invoices.
    LastCharge = 11,
    /// The same for a contract on a test clock.
    HeldLastCharge = 12,
    /// Stored credit of a contract expires; by the wall clock.
    CreditExpiry = 16,
    /// A subscription of a contract has ended with a plan change to be credited still; run by the
    /// recurring invoice pass where plan changes are bound to invoices and credits are on.
    LastCredit = 14,
    /// The same for a contract on a test clock.
    HeldLastCredit = 15,
    /// A mail of a contract is to be posted.
    Mail = 13,
    /// The buyer of an invoice of a contract is to be reminded.
    Reminder = 17,
    /// An invoice of a contract is to be charged to a saved card.
    Collection = 21,
    /// The same for a contract on a test clock.
    HeldCollection = 22,
    /// A contract has less credit than it is to have, and a card to buy more with; by the wall
    /// clock.
    AutoTopup = 35,
    /// A payment link expires; one of each link.
    LinkExpiry = 30,
    /// A mail about a payment link is to be posted; one of each mail.
    LinkMail = 31,
    /// An invitation is to be mailed; one of each mail.
    InviteMail = 36,
    /// A subscription by payment link has a term, or the charge of one, that is due.
    LinkSubscription = 32,
    /// The trial of a subscription by payment link ends in a day.
    LinkTrial = 33,
    /// A mail about a subscription by payment link is to be posted.
    SubscriptionMail = 34,
    /// A demo payee is verified, or one of its payouts arrives.
    Payee = 20,
}

impl TimerKind {
    pub const ALL: [Self; 28] = [
        Self::Lifecycle,
        Self::HeldLifecycle,
        Self::Recurring,
        Self::HeldRecurring,
        Self::Overdue,
        Self::Payment,
        Self::UsageClose,
        Self::UsageInvoice,
        Self::UsageCredit,
        Self::Settlement,
        Self::ProviderCall,
        Self::LastCharge,
        Self::HeldLastCharge,
        Self::CreditExpiry,
        Self::LastCredit,
        Self::HeldLastCredit,
        Self::Mail,
        Self::Reminder,
        Self::Collection,
        Self::HeldCollection,
        Self::AutoTopup,
        Self::Payee,
        Self::LinkExpiry,
        Self::LinkMail,
        Self::InviteMail,
        Self::LinkSubscription,
        Self::LinkTrial,
        Self::SubscriptionMail,
    ];
}

/// A timer of one kind. Rows of a seller are carried out in order of their instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Due {
    /// When it is, or was, due.
    pub at: Timestamp,
    pub seller: SellerId,
    /// The object: a contract, a payment, a payee, a payment link or its
    /// subscription, by the timer's kind.
    pub object: u64,
}

impl Line for Due {
    fn seller(self) -> SellerId {
        self.seller
    }
}

/// The rows of one object's timers that are known to be on disk.
#[derive(Clone, Debug, Default)]
pub struct Timers {
    rows: BTreeSet<(TimerKind, Timestamp)>,
}

impl Timers {
    /// Those of the wanted timers that are on disk, looked for with one request.
    pub fn on_disk(
        store: &Store,
        seller: SellerId,
        object: u64,
        wanted: &BTreeMap<TimerKind, Timestamp>,
    ) -> Result<Self, ReadError> {
        if wanted.is_empty() {
            return Ok(Self::default());
        }
        let mut reads = Reads::new();
        let asked = wanted.iter().map(|(kind, at)| {
            let there = reads.contains(TIMERS, &(*kind as u8, seller, *at, object));
            ((*kind, *at), there)
        });
        let asked: Vec<_> = asked.collect();
        let mut found = store.read(&reads)?;
        let mut rows = BTreeSet::new();
        for (timer, there) in asked {
            if found.take(there)? {
                rows.insert(timer);
            }
        }
        Ok(Self { rows })
    }

    /// Notes a row that was met on disk.
    pub fn met(&mut self, kind: TimerKind, at: Timestamp) {
        self.rows.insert((kind, at));
    }

    /// Makes the rows agree with what is wanted now; writes only what differs. Gives those that
    /// it puts, for the [`Calendar`] once they are durable.
    pub fn set(
        &mut self,
        batch: &mut Batch,
        seller: SellerId,
        object: u64,
        wanted: &BTreeMap<TimerKind, Timestamp>,
    ) -> Vec<(TimerKind, Timestamp)> {
        self.rows.retain(|(kind, at)| {
            let stays = wanted.get(kind) == Some(at);
            if !stays {
                batch.delete(TIMERS, &(*kind as u8, seller, *at, object));
            }
            stays
        });
        let mut put = Vec::new();
        for (kind, at) in wanted {
            if self.rows.insert((*kind, *at)) {
                batch.put_new(TIMERS, &(*kind as u8, seller, *at, object), &());
                put.push((*kind, *at));
            }
        }
        put
    }
}

/// A seller's timers of a kind from one of them on, soonest first, at most `limit`; and when the
/// first is due that is not among them, if it is not due at `until`. All that a timer says is in its
/// key: a row that is damaged keeps no others from being found.
pub fn due_of(
    store: &Store,
    (kind, seller): (TimerKind, SellerId),
    until: Timestamp,
    after: Option<Due>,
    limit: usize,
) -> Result<Page, ReadError> {
    let mut range = Scan::prefix(&(kind as u8, seller));
    if let Some(after) = after {
        range = range.after(&(kind as u8, seller, after.at, after.object));
    }
    let mut page = Page::default();
    for key in store.scan(TIMERS, range).keys() {
        let (_, seller, at, object) = key?;
        if at > until {
            page.next = Some(at);
            break;
        }
        if page.due.len() == limit {
            page.goes_on = true;
            break;
        }
        page.due.push(Due { at, seller, object });
    }
    Ok(page)
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    pub due: Vec<Due>,
    /// More are due behind these.
    pub goes_on: bool,
    /// When the next one is due, if all that are due now are here.
    pub next: Option<Timestamp>,
}

/// The timers of a kind that are due at `now`, at most `limit` of each seller.
#[cfg(test)]
pub(crate) fn due(
    store: &Store,
    kind: TimerKind,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Due>, ReadError> {
    let mut found = Vec::new();
    for (seller, _) in Calendar::default().due(store, kind, Timestamp::MAX)? {
        found.extend(due_of(store, (kind, seller), now, None, limit)?.due);
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use storage::Table;
    use storage::testing::TempStore;

    use super::*;

    #[test]
    fn a_row_that_is_damaged_keeps_no_other_timer_from_being_found() {
        let store = TempStore::new();
        let raw: Table<(u8, SellerId, Timestamp, u64), Vec<u8>> =
            Table::new(TIMERS.tag(), TIMERS.name());
        let at = Timestamp::from_micros;
        let mut batch = Batch::new();
        for (seller, micros) in [(1, 5), (2, 6)] {
            let key = |object| (TimerKind::Payment as u8, SellerId(seller), at(micros), object);
            batch.put(raw, &key(1), &vec![0xFF]);
            batch.put(TIMERS, &key(2), &());
        }
        store.write_blocking(batch).expect("durable");
        let found = due(&store, TimerKind::Payment, at(9), 9).expect("readable");
        let found: Vec<_> = found.iter().map(|due| (due.seller.0, due.object)).collect();
        assert_eq!(found, [(1, 1), (1, 2), (2, 1), (2, 2)]);
    }
}
