//! What a contract room remembers of its usage, and how a decided change is applied to it.

use std::collections::BTreeMap;

use storage::Batch;

use super::assuming::AssumedDay;
use super::ledger::Ledger;
use super::meter::Meter;
use super::recording::Recorded;
use crate::contract::room::{Context, ContractKey};
use crate::domain::billing::invoice::ConsumedUsage;
use crate::domain::billing::pricing::AddedPrice;
use crate::domain::billing::usage::{
    Adjustment, Coverage, MeterRow, MetricName, SeatChange, UsageLimit, UsageLine,
};
use crate::domain::ids::{AdjustmentId, InvoiceId};
use crate::domain::time::{Date, Timestamp};
use crate::tables::USAGE_DAYS;
use crate::timers::TimerKind;

/// Days that stay in memory when twice as many have come together.
const DAYS_KEPT: usize = 32;

#[derive(Clone, Debug, Default)]
pub(in crate::contract) struct Metering {
    /// Every metric that the contract has a price, a limit or usage of.
    pub(super) meters: BTreeMap<MetricName, Meter>,
    pub(in crate::contract) ledger: Ledger,
    /// Counts commands, to tell which days were used last.
    turns: u64,
    /// The timers that all of this wants, unless that has changed since somebody asked.
    timers: Option<[Option<(TimerKind, Timestamp)>; 3]>,
    /// When the next attempt at a period is due, likewise.
    attempt: Option<Option<Timestamp>>,
}

#[derive(Debug)]
pub(in crate::contract) enum Change {
    Recorded(Box<Recorded>),
    Price(MetricName, Box<AddedPrice>),
    Limit(MetricName, Option<UsageLimit>),
    /// What is kept of a metric after periods of it were closed, and their lines.
    Closed(MetricName, MeterRow, Vec<UsageLine>),
    /// What a document takes of closed usage, so that no other one takes it.
    Billed(InvoiceId, ConsumedUsage),
    /// What a document that is voided had taken.
    Released(InvoiceId, Vec<UsageLine>, Vec<Adjustment>),
    Corrected(Box<Adjustment>),
    /// Corrections that become stored credit as far as no document carries them.
    Credited(Vec<AdjustmentId>),
    Seats(SeatChange),
    /// Days of usage that is assumed.
    Assumed(Vec<AssumedDay>),
}

impl Metering {
    pub(in crate::contract) fn apply(
        &mut self,
        key: ContractKey,
        change: Change,
        rows: &mut Batch,
    ) {
        if !matches!(change, Change::Recorded(_) | Change::Limit(..) | Change::Seats(_)) {
            self.timers = None;
            self.attempt = None;
        }
        match change {
            Change::Recorded(recorded) => self.keep_recorded(key, *recorded, rows),
            Change::Price(metric, price) => self.meter(&metric).price(key, &metric, *price, rows),
            Change::Limit(metric, limit) => self.meter(&metric).limit(key, &metric, limit, rows),
            Change::Closed(metric, row, lines) => self.keep_closed(key, metric, row, lines, rows),
            Change::Billed(invoice, usage) => self.ledger.bill(key, invoice, &usage, rows),
            Change::Released(invoice, lines, adjustments) => {
                self.ledger.release(key, invoice, (lines, adjustments), rows);
            }
            Change::Corrected(adjustment) => self.ledger.correct(key, *adjustment, rows),
            Change::Credited(ids) => self.ledger.credit(key, &ids, rows),
            Change::Seats(change) => self.keep_seats(key, &change, rows),
            Change::Assumed(days) => days.into_iter().for_each(|day| self.keep_assumed(day)),
        }
    }

    pub(super) fn meter(&mut self, metric: &MetricName) -> &mut Meter {
        self.meters.entry(metric.clone()).or_default()
    }

    fn keep_recorded(&mut self, key: ContractKey, recorded: Recorded, rows: &mut Batch) {
        self.turns += 1;
        let Recorded { events, now, days, exceeded, idle } = recorded;
        let turn = self.turns;
        for day in days {
            if self.meter(&day.metric).record(key, day, (&events, now, turn), rows) {
                self.attempt = None;
            }
        }
        for (metric, period_start) in exceeded {
            self.meter(&metric).note_exceeded(key, &metric, period_start, rows);
        }
        for (metric, day) in idle {
            self.meter(&metric).let_go(day, turn);
        }
    }

    fn keep_seats(&mut self, key: ContractKey, change: &SeatChange, rows: &mut Batch) {
        self.ledger.seats(key, change, rows);
        let seats = MetricName::seats();
        if let Some(meter) = self.meters.get_mut(&seats)
            && meter.retry_now(key, &seats, rows)
        {
            self.attempt = None;
        }
    }

    fn keep_assumed(&mut self, AssumedDay { metric, day, read, events }: AssumedDay) {
        self.meter(&metric).assume(day, read, &events);
    }

    fn keep_closed(
        &mut self,
        key: ContractKey,
        metric: MetricName,
        row: MeterRow,
        lines: Vec<UsageLine>,
        rows: &mut Batch,
    ) {
        let meter = self.meter(&metric);
        meter.close(key, &metric, row, rows);
        for line in &lines {
            meter.note_rated(key, &metric, line.breakdown.price_version, rows);
        }
        for line in lines {
            self.ledger.close(key, line, rows);
        }
    }

    /// The timers that the contract's usage wants now, by the wall clock.
    pub(in crate::contract) fn timers(
        &mut self,
        coverage: &Coverage,
    ) -> impl Iterator<Item = (TimerKind, Timestamp)> + use<> {
        let wanted = match self.timers {
            Some(known) => known,
            None => {
                let close = self.next_close(coverage);
                let close = close.map(|day| (TimerKind::UsageClose, day.start()));
                let bill = self.ledger.asks_since().map(|since| (TimerKind::UsageInvoice, since));
                let credit = self.last_credits(coverage).map(|credit| credit.created_at).min();
                let credit = credit.map(|since| (TimerKind::UsageCredit, since));
                *self.timers.insert([close, bill, credit])
            }
        };
        wanted.into_iter().flatten()
    }

    /// When the next attempt at a period is due, where some stay open that were tried before.
    pub(in crate::contract) fn next_attempt(&mut self, coverage: &Coverage) -> Option<Timestamp> {
        if let Some(known) = self.attempt {
            return known;
        }
        let next = self.attempt_ahead(coverage);
        self.attempt = Some(next);
        next
    }

    /// Has to be called when the days have changed that subscriptions cover: usage may now
    /// belong to other periods, and those that stay open may come to something else.
    pub(in crate::contract) fn coverage_changed(&mut self, key: ContractKey, rows: &mut Batch) {
        self.timers = None;
        self.attempt = None;
        for (metric, meter) in &mut self.meters {
            meter.forget_totals();
            meter.retry_now(key, metric, rows);
        }
    }

    /// The days that memory can do without: not used lately, and on disk as they are here.
    pub(super) fn idle_days(&self, cx: &Context, key: ContractKey) -> Vec<(MetricName, Date)> {
        let open: usize = self.meters.values().map(Meter::open_days).sum();
        if open <= 2 * DAYS_KEPT {
            return Vec::new();
        }
        let turns =
            |(_, meter): (_, &Meter)| meter.turns().map(|(_, turn)| turn).collect::<Vec<_>>();
        let mut turns: Vec<_> = self.meters.iter().flat_map(turns).collect();
        let (_, oldest_kept, _) = turns.select_nth_unstable(open - DAYS_KEPT);
        let oldest_kept = *oldest_kept;
        let mut idle = Vec::new();
        for (metric, meter) in &self.meters {
            for (day, _) in meter.turns().filter(|(_, turn)| *turn < oldest_kept) {
                if !cx.is_under_way(USAGE_DAYS, &(key.0, key.1, metric.clone(), day)) {
                    idle.push((metric.clone(), day));
                }
            }
        }
        idle
    }
}
