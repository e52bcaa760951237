//! One metric of a contract: its days in memory, and what its periods come to.

use std::collections::BTreeMap;

use storage::{Batch, ReadError, Scan, Store};

use crate::domain::billing::pricing::PriceVersion;
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{
    DistinctValues, Entry, Measured, MeterRow, MetricName, UsageDay, UsageTotal, hour_of,
};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::Date;
use crate::query::usage::{day_values, unreadable};
use crate::tables::{PRICES, USAGE_CHUNKS, USAGE_DAYS, USAGE_METERS, USAGE_VALUES};

/// Periods whose totals are kept at most; an event adds to each that has its day.
const TOTALS_KEPT: usize = 4;

/// Whose usage it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    pub(super) seller: SellerId,
    pub(super) contract: ContractId,
}

/// One metric of the contract.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// What is stored of it beside its days.
    pub(super) row: MeterRow,
    /// Its prices on the contract, oldest version first.
    pub(super) prices: Vec<PriceVersion>,
    /// Whether that row is on disk, or on its way.
    stored: bool,
    days: BTreeMap<Date, OpenDay>,
    totals: Vec<PeriodTotal>,
}

/// What the open days of a period come to.
#[derive(Debug)]
struct PeriodTotal {
    span: Span,
    /// How many days of the span were closed then.
    closed: i64,
    total: UsageTotal,
}

/// A day in memory, as it will be on disk once the room's batches have landed.
#[derive(Debug, Default)]
struct OpenDay {
    row: UsageDay,
    values: BTreeMap<u32, DistinctValues>,
    /// Versions whose values have changed since they were put.
    changed: Vec<u32>,
    /// The last batch that has put it.
    batch: u64,
    /// The last command that used it.
    turn: u64,
}

impl Meter {
    /// A meter whose row is on disk.
    pub(super) fn stored(row: MeterRow) -> Self {
        Self { row, stored: true, ..Self::default() }
    }

    /// Puts a new version of its price.
    pub(super) fn put_price(
        &mut self,
        batch: &mut Batch,
        home: Home,
        metric: &MetricName,
        price: PriceVersion,
    ) {
        if !self.stored {
            self.put_row(batch, home, metric);
        }
        batch.put(PRICES, &(home.seller, home.contract, metric.clone(), price.version), &price);
        self.prices.push(price);
    }

    /// Puts the row of a meter, so that it is known when the room starts again.
    pub(super) fn put_row(&mut self, batch: &mut Batch, home: Home, metric: &MetricName) {
        batch.put(USAGE_METERS, &(home.seller, home.contract, metric.clone()), &self.row);
        self.stored = true;
    }

    /// Takes a day into memory.
    pub(super) fn open(
        &mut self,
        store: &Store,
        home: Home,
        metric: &MetricName,
        day: Date,
        turn: u64,
    ) -> Result<(), ReadError> {
        if let Some(open) = self.days.get_mut(&day) {
            open.turn = turn;
            return Ok(());
        }
        let key = (home.seller, home.contract, metric.clone(), day);
        let row = store.get(USAGE_DAYS, &key)?.unwrap_or_default();
        let values = day_values(store, &key, &row)?;
        self.days.insert(day, OpenDay { row, values, turn, ..OpenDay::default() });
        Ok(())
    }

    /// Counts an event into its open day and the totals that have the day.
    pub(super) fn count(&mut self, day: Date, event: Measured) {
        for period in self.totals.iter_mut().filter(|period| period.span.contains(day)) {
            period.total.add(event);
        }
        let open = self.days.entry(day).or_default();
        open.row.count(event);
        if let Some(value) = event.value
            && open.values.entry(event.version).or_default().add(value, hour_of(event.at))
            && !open.changed.contains(&event.version)
        {
            open.changed.push(event.version);
        }
    }

    /// Puts the rows of an open day: `fresh` are events that were counted and are not kept yet.
    pub(super) fn put<'a>(
        &mut self,
        batch: &mut Batch,
        number: u64,
        (home, metric, day): (Home, &MetricName, Date),
        fresh: impl ExactSizeIterator<Item = Entry<'a>>,
    ) -> Result<(), ReadError> {
        if !self.stored {
            self.put_row(batch, home, metric);
        }
        let open = self.days.entry(day).or_default();
        let Home { seller, contract } = home;
        if open.row.has_room(fresh.len()) {
            fresh.for_each(|event| open.row.keep(event));
        } else {
            for (first, chunk) in
                open.row.seal(fresh).map_err(|error| unreadable(USAGE_DAYS.name(), error))?
            {
                let key = (seller, contract, metric.clone(), day, first);
                batch.put(USAGE_CHUNKS, &key, &chunk);
            }
        }
        batch.put(USAGE_DAYS, &(seller, contract, metric.clone(), day), &open.row);
        for version in open.changed.drain(..) {
            if let Some(values) = open.values.get(&version) {
                let key = (seller, contract, metric.clone(), day, version);
                batch.put(USAGE_VALUES, &key, values);
            }
        }
        open.batch = number;
        Ok(())
    }

    /// What was used on those days of a span that are not closed.
    pub(super) fn total(
        &mut self,
        store: &Store,
        home: Home,
        metric: &MetricName,
        span: Span,
    ) -> Result<&UsageTotal, ReadError> {
        let open: i64 = self.row.open_parts(span).into_iter().map(Span::days).sum();
        let closed = span.days() - open;
        let known = |known: &PeriodTotal| known.span == span && known.closed == closed;
        let place = match self.totals.iter().position(known) {
            Some(place) => place,
            None => {
                let total = self.add_up(store, home, metric, span)?;
                self.totals.retain(|known| known.span != span);
                if self.totals.len() == TOTALS_KEPT {
                    self.totals.remove(0);
                }
                self.totals.push(PeriodTotal { span, closed, total });
                self.totals.len() - 1
            }
        };
        Ok(&self.totals[place].total)
    }

    /// The same from the days alone: those in memory are ahead of those on disk.
    fn add_up(
        &self,
        store: &Store,
        home: Home,
        metric: &MetricName,
        span: Span,
    ) -> Result<UsageTotal, ReadError> {
        let Home { seller, contract } = home;
        let mut total = UsageTotal::default();
        let days = Scan::prefix(&(seller, contract, metric.clone()))
            .from(&(seller, contract, metric.clone(), span.start))
            .until(&(seller, contract, metric.clone(), span.end));
        for row in store.scan(USAGE_DAYS, days) {
            let (key, row) = row?;
            if !self.days.contains_key(&key.3) && !self.row.is_closed(key.3) {
                let values = day_values(store, &key, &row)?;
                row.add_to(&mut total, |version| values.get(&version));
            }
        }
        for (day, open) in self.days.range(span.start..span.end) {
            if !self.row.is_closed(*day) {
                open.row.add_to(&mut total, |version| open.values.get(&version));
            }
        }
        Ok(total)
    }

    /// Lets go of what periods come to, for example when there are other periods.
    pub(super) fn forget_totals(&mut self) {
        self.totals = Vec::new();
    }

    /// How many days are in memory.
    pub(super) fn open_days(&self) -> usize {
        self.days.len()
    }

    /// The last command that used each of them.
    pub(super) fn turns(&self) -> impl Iterator<Item = u64> + '_ {
        self.days.values().map(|open| open.turn)
    }

    /// Lets go of days that were used before a command and whose rows have landed.
    pub(super) fn let_go(&mut self, before: u64, landed: u64) {
        self.days.retain(|_, open| open.turn >= before || open.batch > landed);
    }
}
