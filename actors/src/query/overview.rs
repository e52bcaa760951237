//! How a seller's business stands, read in one pass as of one moment.

use std::collections::HashMap;

use storage::{ReadError, Scan, Snapshot, Store};

use super::invoices::issued_within;
use crate::chunked;
use crate::domain::billing::invoice::{Invoice, InvoiceFilter, InvoiceStatus};
use crate::domain::billing::overview::{Gathering, Month, Overview};
use crate::domain::billing::test_clock::{Moment, TestClock};
use crate::domain::ids::{ContractId, InvoiceId, PaymentId, SellerId};
use crate::domain::payments::payment::PaymentStatus;
use crate::domain::time::{Date, Timestamp};
use crate::listing::Facet;
use crate::tables::{
    ACTIVE_CONTRACTS, CLOCKS, CUSTOMER_EMAILS, INVOICES, PAYMENTS, PLACES, RECURRING_MOVES,
    SUBSCRIPTION_PARTS, SUBSCRIPTIONS,
};

/// Money that comes later than this after its document is not looked for.
const PAID_WITHIN_DAYS: i64 = 366;

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
    pass.subscriptions(&mut gathering)?;
    pass.documents(&mut gathering)?;
    pass.waiting(&mut gathering)?;
    pass.failed_payments(&mut gathering)?;
    let contracts = pass.snapshot.scan(ACTIVE_CONTRACTS, pass.all());
    let contracts = pass.count(contracts)?;
    let customers = pass.snapshot.scan(CUSTOMER_EMAILS, pass.all());
    let customers = pass.count(customers)?;
    Ok(gathering.finish(contracts, customers))
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

    fn count<T>(
        &mut self,
        rows: impl Iterator<Item = Result<T, ReadError>>,
    ) -> Result<u64, NoOverview> {
        let mut count = 0;
        for row in rows {
            row?;
            self.step()?;
            count += 1;
        }
        Ok(count)
    }

    fn subscriptions(&mut self, to: &mut Gathering) -> Result<(), NoOverview> {
        for row in self.snapshot.scan(SUBSCRIPTIONS, self.all()) {
            let (key, row) = row?;
            self.step()?;
            let (row, parts) = ((&key, row), SUBSCRIPTION_PARTS);
            let joined = chunked::join(&self.snapshot, row, SUBSCRIPTIONS, parts, &key);
            to.subscription(&joined?);
        }
        let since = self.all().from(&(self.seller, to.first().start()));
        for row in self.snapshot.scan(RECURRING_MOVES, since) {
            let ((_, day, _), moved) = row?;
            self.step()?;
            to.moved(day, &moved);
        }
        Ok(())
    }

    /// Documents of the months. Those of a contract with a clock that has come as far may have been
    /// issued at any time.
    fn documents(&mut self, to: &mut Gathering) -> Result<(), NoOverview> {
        let since = to.first().start().plus_days(-PAID_WITHIN_DAYS).start();
        let reaches = |clock: &TestClock| clock.stands_at().is_some() || clock.now >= since;
        let since = (!self.clocks.values().any(reaches)).then_some(since);
        let filter = InvoiceFilter { issued_from: since, ..InvoiceFilter::default() };
        let scan = |scan: Scan| self.snapshot.scan(INVOICES, scan);
        let span = issued_within(scan, self.seller, &filter)?;
        let from = self.all().from(&(self.seller, InvoiceId(span.start)));
        for row in self.snapshot.scan(INVOICES, from) {
            let (_, invoice) = row?;
            self.step()?;
            to.document(&invoice, self.day_of(&invoice));
        }
        Ok(())
    }

    /// The day that a document is about which was issued while the clock of its contract stood.
    fn day_of(&self, invoice: &Invoice) -> Option<Date> {
        let let_go_at = self.clocks.get(&invoice.contract)?.let_go_at;
        let stood = let_go_at.is_none_or(|at| invoice.issued_at < at);
        invoice.period_start.or(invoice.due_date).filter(|_| stood)
    }

    fn waiting(&mut self, to: &mut Gathering) -> Result<(), NoOverview> {
        for status in [InvoiceStatus::Issued, InvoiceStatus::Sent, InvoiceStatus::Overdue] {
            let filter = InvoiceFilter { status: Some(status), ..InvoiceFilter::default() };
            for class in filter.classes().into_iter().flatten() {
                let place = (self.seller, Facet::InvoiceClass as u8, class.number());
                for row in self.snapshot.scan(PLACES, Scan::prefix(&place)) {
                    let ((.., id), ()) = row?;
                    self.step()?;
                    let key = (self.seller, InvoiceId(id));
                    let Some(invoice) = self.snapshot.get(INVOICES, &key)? else { continue };
                    let clock = self.clocks.get(&invoice.contract);
                    to.waiting(&invoice, Moment::of(clock, self.now).today());
                }
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
