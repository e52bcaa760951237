//! How a seller's business stands, read in one pass as of one moment: the sums of all that it has,
//! how recurring revenue moved in the months, payments that failed lately, and the documents of
//! contracts on test clocks.

use std::collections::HashMap;

use storage::{ReadError, Scan, Snapshot, Store};

use super::invoices::OUT_OF_ORDER_SECONDS;
use crate::domain::billing::invoice::Invoice;
use crate::domain::billing::overview::{Gathering, Month, Overview};
use crate::domain::billing::test_clock::{Moment, TestClock};
use crate::domain::ids::{ContractId, PaymentId, SellerId};
use crate::domain::payments::payment::PaymentStatus;
use crate::domain::time::{Date, Timestamp};
use crate::listing::Facet;
use crate::sums;
use crate::tables::{CLOCKS, CONTRACT_INVOICES, INVOICES, PAYMENTS, PLACES, RECURRING_MOVES};

/// A currency is told of whose documents are older than the months by as much as this.
const TOLD_OF_DAYS: i64 = 366;

/// Failed payments of so many days count.
const FAILED_DAYS: i64 = 30;

const A_DAY: i64 = 86_400;

/// Rows after which it is asked whether to go on.
const STRIDE: usize = 256;

/// Why there is no overview.
#[derive(Debug)]
pub enum NoOverview {
    /// It was given up.
    Stopped,
    Unread(ReadError),
}

impl From<ReadError> for NoOverview {
    fn from(error: ReadError) -> Self {
        Self::Unread(error)
    }
}

/// The pass over a seller's rows.
struct Pass<'a> {
    snapshot: Snapshot,
    seller: SellerId,
    now: Timestamp,
    /// The test clocks of contracts, those that were let go among them.
    clocks: HashMap<ContractId, TestClock>,
    goes_on: &'a dyn Fn() -> bool,
    seen: usize,
}

/// The overview of `months` months up to the one of the clock that is furthest ahead. It is asked
/// again and again whether it `goes_on`.
pub fn overview(
    store: &Store,
    seller: SellerId,
    now: Timestamp,
    months: usize,
    goes_on: &dyn Fn() -> bool,
) -> Result<Overview, NoOverview> {
    loop {
        match gather(store.snapshot()?, seller, now, months, goes_on) {
            // What was read is of a moment that the store had to let go of: again, of a later one.
            Err(NoOverview::Unread(ReadError::SnapshotGone)) if goes_on() => {}
            Err(NoOverview::Unread(ReadError::SnapshotGone)) => return Err(NoOverview::Stopped),
            gathered => return gathered,
        }
    }
}

fn gather(
    snapshot: Snapshot,
    seller: SellerId,
    now: Timestamp,
    months: usize,
    goes_on: &dyn Fn() -> bool,
) -> Result<Overview, NoOverview> {
    let clocks = HashMap::new();
    let mut pass = Pass { snapshot, seller, now, clocks, goes_on, seen: 0 };
    for row in pass.snapshot.scan(CLOCKS, Scan::prefix(&(seller,))) {
        let ((_, contract), clock) = row?;
        pass.step()?;
        pass.clocks.insert(contract, clock);
    }
    let stand = pass.clocks.values().filter_map(TestClock::stands_at);
    let furthest = stand.max().unwrap_or(now).max(now);
    let mut gathering = Gathering::new(Month::of(furthest.date()), months);
    pass.sums(&mut gathering)?;
    pass.moves(&mut gathering)?;
    pass.by_their_clocks(&mut gathering)?;
    pass.failed_payments(&mut gathering)?;
    Ok(gathering.finish())
}

impl Pass<'_> {
    fn step(&mut self) -> Result<(), NoOverview> {
        self.seen += 1;
        match self.seen.is_multiple_of(STRIDE) && !(self.goes_on)() {
            true => Err(NoOverview::Stopped),
            false => Ok(()),
        }
    }

    fn all(&self) -> Scan {
        Scan::prefix(&(self.seller,))
    }

    fn sums(&self, to: &mut Gathering) -> Result<(), NoOverview> {
        let since = to.first().start().plus_days(-TOLD_OF_DAYS);
        // Those of a contract with a clock that has come as far may have been issued at any time.
        let reaches = |clock: &TestClock| clock.stands_at().is_some() || clock.now >= since.start();
        let since = (!self.clocks.values().any(reaches)).then(|| Month::of(since));
        to.sums(&sums::kept(&self.snapshot, self.seller)?, since, self.now.date());
        Ok(())
    }

    fn moves(&mut self, to: &mut Gathering) -> Result<(), NoOverview> {
        let since = self.all().from(&(self.seller, to.first().start()));
        for row in self.snapshot.scan(RECURRING_MOVES, since) {
            let ((_, day, _), moved) = row?;
            self.step()?;
            to.moved(day, &moved);
        }
        Ok(())
    }

    /// Documents of contracts on test clocks, which the sums have by the wall clock.
    fn by_their_clocks(&mut self, to: &mut Gathering) -> Result<(), NoOverview> {
        let wall = self.now.date();
        for (contract, clock) in std::mem::take(&mut self.clocks) {
            let today = Moment::of(Some(&clock), self.now).today();
            let scan = Scan::prefix(&(self.seller, contract));
            for key in self.snapshot.scan(CONTRACT_INVOICES, scan).keys() {
                let (_, _, id) = key?;
                self.step()?;
                let invoice = self.snapshot.get(INVOICES, &(self.seller, id))?;
                let Some(invoice) = invoice else { continue };
                if is_behind(&clock, &invoice) {
                    break;
                }
                to.by_its_clock(&invoice, day_of(&clock, &invoice), wall, today);
            }
        }
        Ok(())
    }

    fn failed_payments(&mut self, to: &mut Gathering) -> Result<(), NoOverview> {
        let status = PaymentStatus::Failed;
        let place = (self.seller, Facet::PaymentStatus as u8, status as u64);
        let since = self.now.plus_seconds(-FAILED_DAYS * A_DAY);
        for row in self.snapshot.scan(PLACES, Scan::prefix(&place).reverse()) {
            let ((.., id), ()) = row?;
            self.step()?;
            let key = (self.seller, PaymentId(id));
            let Some(payment) = self.snapshot.get(PAYMENTS, &key)? else { continue };
            if payment.created_at < since {
                break;
            }
            to.failed(payment.amount);
        }
        Ok(())
    }
}

/// The day that a document is about which was issued while the clock of its contract stood.
fn day_of(clock: &TestClock, invoice: &Invoice) -> Option<Date> {
    let stood = clock.let_go_at.is_none_or(|at| invoice.issued_at < at);
    invoice.period_start.or(invoice.due_date).filter(|_| stood)
}

/// Whether a document, and all behind it, was issued when the clock was let go.
fn is_behind(clock: &TestClock, invoice: &Invoice) -> bool {
    let behind = |at: Timestamp| at.plus_seconds(OUT_OF_ORDER_SECONDS);
    clock.let_go_at.is_some_and(|at| invoice.issued_at > behind(at))
}
