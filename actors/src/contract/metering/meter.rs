//! One metric of a contract: its days in memory, and what its periods come to.

mod day;
mod total;

use std::cell::RefCell;
use std::collections::BTreeMap;

use storage::Batch;

use self::total::PeriodTotal;
use super::recording::RecordedDay;
use crate::contract::room::ContractKey;
use crate::domain::billing::pricing::{AddedPrice, PriceVersion};
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{Entry, Measured, MeterRow, MetricName, NewEvent, UsageLimit};
use crate::domain::time::{Date, Timestamp};
use crate::tables::{CLOSED_DAYS, METERED, PRICES, USAGE_METERS};

pub(super) use day::OpenDay;

#[derive(Clone, Debug, Default)]
pub(super) struct Meter {
    /// What is stored of it beside its days.
    pub(super) row: MeterRow,
    /// Its prices on the contract, oldest version first.
    pub(super) prices: Vec<PriceVersion>,
    /// Whether that row is on disk, or on its way.
    stored: bool,
    /// The closed spans that have rows of their own there.
    apart: Vec<Span>,
    /// Those that were used lately; what is under way to the disk is among them.
    pub(super) days: BTreeMap<Date, OpenDay>,
    /// What periods come to, once somebody asked.
    totals: RefCell<Vec<PeriodTotal>>,
}

impl Meter {
    pub(super) fn stored(row: MeterRow) -> Self {
        Self { row, stored: true, ..Self::default() }
    }

    /// Takes in the closed spans that have rows of their own, all at once and in order.
    pub(super) fn with_apart(&mut self, apart: Vec<Span>) {
        self.row.closed.splice(0..0, apart.iter().copied());
        self.apart = apart;
    }

    pub(super) fn price(
        &mut self,
        key: ContractKey,
        metric: &MetricName,
        AddedPrice { price, replaces }: AddedPrice,
        rows: &mut Batch,
    ) {
        if self.row.retry_now(|_| true) || !self.stored {
            self.put_row(key, metric, rows);
        }
        if let Some(gone) = replaces {
            rows.delete(PRICES, &(key.0, key.1, metric.clone(), gone));
            self.prices.retain(|price| price.version != gone);
        }
        rows.put(PRICES, &(key.0, key.1, metric.clone(), price.version), &price);
        self.prices.push(price);
    }

    /// Notes that a period was rated by a version of the price, which stays from then on.
    pub(super) fn note_rated(
        &mut self,
        key: ContractKey,
        metric: &MetricName,
        version: u32,
        rows: &mut Batch,
    ) {
        let first = |price: &&mut PriceVersion| price.version == version && price.unrated;
        if let Some(price) = self.prices.iter_mut().find(first) {
            price.unrated = false;
            rows.put(PRICES, &(key.0, key.1, metric.clone(), version), price);
        }
    }

    pub(super) fn limit(
        &mut self,
        key: ContractKey,
        metric: &MetricName,
        limit: Option<UsageLimit>,
        rows: &mut Batch,
    ) {
        self.row.limit = limit;
        self.put_row(key, metric, rows);
    }

    pub(super) fn close(
        &mut self,
        key: ContractKey,
        metric: &MetricName,
        row: MeterRow,
        rows: &mut Batch,
    ) {
        self.row = row;
        self.put_row(key, metric, rows);
    }

    /// Lets its periods that stay open be tried at once, as something of them has changed. Whether
    /// any of them was waiting.
    pub(super) fn retry_now(
        &mut self,
        key: ContractKey,
        metric: &MetricName,
        rows: &mut Batch,
    ) -> bool {
        let anew = self.row.retry_now(|_| true);
        if anew {
            self.put_row(key, metric, rows);
        }
        anew
    }

    /// Notes of which period the timeline says that its soft limit is exceeded.
    pub(super) fn note_exceeded(
        &mut self,
        key: ContractKey,
        metric: &MetricName,
        period_start: Date,
        rows: &mut Batch,
    ) {
        self.row.note_exceeded(period_start);
        self.put_row(key, metric, rows);
    }

    /// Counts events into their day and keeps them. Whether a period that stays open is tried at
    /// once because of them.
    pub(super) fn record(
        &mut self,
        key: ContractKey,
        recorded: RecordedDay,
        (events, now, turn): (&[NewEvent], Timestamp, u64),
        rows: &mut Batch,
    ) -> bool {
        let RecordedDay { metric, day, read, tail, fresh } = recorded;
        let anew = self.row.retry_now(|open| open.contains(day));
        let first = !self.row.used;
        if first {
            self.row.used = true;
            rows.put(METERED, &(key.0, metric.clone(), key.1), &());
        }
        if first || anew {
            self.put_row(key, &metric, rows);
        }
        if let Some(read) = read {
            self.days.insert(day, read);
        }
        let totals = self.totals.get_mut();
        let open = self.days.entry(day).or_default();
        for (_, _, event) in &fresh {
            totals.iter_mut().for_each(|period| period.count(day, *event));
            open.count(*event);
        }
        let entries = fresh.iter().map(|(number, id, Measured { version, .. })| {
            Entry::fresh(&events[*number], *id, *version, now)
        });
        open.keep(&(key.0, key.1, metric, day), tail, entries, rows);
        open.turn = turn;
        anew
    }

    /// Counts events that are assumed into their day, and keeps none of them.
    pub(super) fn assume(&mut self, day: Date, read: Option<OpenDay>, events: &[Measured]) {
        if let Some(read) = read {
            self.days.insert(day, read);
        }
        let totals = self.totals.get_mut();
        let open = self.days.entry(day).or_default();
        for event in events {
            totals.iter_mut().for_each(|period| period.count(day, *event));
            open.count(*event);
        }
    }

    fn put_row(&mut self, (seller, contract): ContractKey, metric: &MetricName, rows: &mut Batch) {
        rows.put(USAGE_METERS, &(seller, contract, metric.clone()), &self.row.to_store());
        self.stored = true;
        if self.apart != self.row.older() {
            let apart = std::mem::replace(&mut self.apart, self.row.older().to_vec());
            let key = |span: &Span| (seller, contract, metric.clone(), span.start);
            for gone in apart.iter().filter(|span| !self.apart.contains(span)) {
                rows.delete(CLOSED_DAYS, &key(gone));
            }
            for new in self.apart.iter().filter(|span| !apart.contains(span)) {
                rows.put(CLOSED_DAYS, &key(new), &new.end);
            }
        }
    }

    pub(super) fn open_days(&self) -> usize {
        self.days.len()
    }

    /// These days, each with the last command that used it.
    pub(super) fn turns(&self) -> impl Iterator<Item = (Date, u64)> + '_ {
        self.days.iter().map(|(day, open)| (*day, open.turn))
    }

    /// Lets go of a day that is on disk, unless this command has used it.
    pub(super) fn let_go(&mut self, day: Date, turn: u64) {
        if self.days.get(&day).is_some_and(|open| open.turn < turn) {
            self.days.remove(&day);
        }
    }
}
