//! Closing periods that are over.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::AddAssign;

use storage::Record;

use super::Change;
use super::meter::Meter;
use crate::contract::Contracts;
use crate::contract::changes::Changes;
use crate::contract::room::{self, Context, ContractRoom};
use crate::contract::strides::{Decided, Stride};
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::billing::usage::{
    Blocked, DuePeriod, MeterRow, MetricName, Reading, UsageLine, due_periods,
};
use crate::domain::ids::{ContractId, SellerId, UsageLineId};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;
use crate::kernel::AskError;
use crate::tables::ids;

/// From so many lines on one batch closes no further period.
const MAX_LINES: u64 = 200;

/// A closed line with its claim and that it waits, in rows of a KiB at most.
const ROWS_OF_A_LINE: usize = 2;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CloseCounts {
    /// Periods that were closed, for one metric or several.
    pub closed: u64,
    /// Lines that this made: one for each metric of each period.
    pub lines: u64,
    pub failed: u64,
    /// Whether the pass is switched off; then nothing was done.
    pub pass_disabled: bool,
}

impl AddAssign for CloseCounts {
    fn add_assign(&mut self, more: Self) {
        self.closed += more.closed;
        self.lines += more.lines;
        // What fails stays where it is, and fails again with what comes after it.
        self.failed = self.failed.max(more.failed);
        self.pass_disabled |= more.pass_disabled;
    }
}

/// The periods of a metric that are closed so far, and what is kept of it after them.
struct Closed {
    row: MeterRow,
    lines: Vec<UsageLine>,
}

impl Closed {
    fn beginning(meter: &Meter) -> Self {
        let row = MeterRow { blocked: Vec::new(), ..meter.row.clone() };
        Self { row, lines: Vec::new() }
    }

    /// Keeps what is known of periods to which this batch has not come.
    fn keep_known(&mut self, known: &[Blocked]) {
        for open in known {
            let tried = self.row.blocked.iter().any(|blocked| blocked.span == open.span);
            if !tried && !self.row.is_closed(open.span.start) {
                self.row.blocked.push(open.clone());
            }
        }
    }
}

impl Contracts {
    /// Closes a contract's periods that are over, oldest first.
    pub async fn run_usage_close(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<CloseCounts, AskError> {
        self.in_strides((seller, contract), ContractRoom::close_usage).await
    }
}

impl ContractRoom {
    pub(in crate::contract) fn close_usage(&self, cx: &Context) -> Decided<CloseCounts> {
        let mut changes = Changes::begin(self, cx)?;
        let stride = changes.close_usage()?;
        Ok(changes.finish().answer(stride))
    }
}

impl Changes<'_> {
    /// Closes what is over by the wall clock, oldest first; a contract's test clock has no say
    /// in it.
    fn close_usage(&mut self) -> Result<Stride<CloseCounts>, Refusal> {
        let mut counts = CloseCounts::default();
        if !self.seller.switch(Switch::UsageClosePass) {
            let done = CloseCounts { pass_disabled: true, ..counts };
            return Ok(Stride { done, more: false });
        }
        let room = self.room;
        let mut closed: BTreeMap<&MetricName, Closed> = BTreeMap::new();
        let mut periods = BTreeSet::new();
        let mut over = Over::of(room, self.seller.usage_ended_by(self.moment.wall).date());
        let (mut more, mut last) = (false, None);
        while let Some((metric, meter, due)) = over.oldest() {
            let span = Some(due.period.span);
            if counts.lines >= MAX_LINES && span != last || self.is_full() {
                more = true;
                break;
            }
            last = span;
            let so_far = closed.entry(metric).or_insert_with(|| Closed::beginning(meter));
            match self.close(metric, meter, due, &so_far.row, due.period.span.end)? {
                Ok(line) => {
                    counts.lines += 1;
                    periods.insert((line.subscription, line.span.start));
                    self.weigh(0, ROWS_OF_A_LINE + line.encode().len() / 1_024);
                    self.timeline.push(self.closed_entry(&line));
                    so_far.row.take(&line);
                    so_far.lines.push(line);
                }
                // It leaves nothing to the next, which need not wait for it.
                Err(blocked) => {
                    counts.failed += 1;
                    so_far.row.blocked.push(blocked);
                }
            }
            over.next_of(metric);
        }
        for (metric, meter) in &room.metering.meters {
            if !meter.row.blocked.is_empty() {
                let so_far = closed.entry(metric).or_insert_with(|| Closed::beginning(meter));
                if more {
                    so_far.keep_known(&meter.row.blocked);
                }
            }
        }
        let closed = closed.into_iter().filter(|(metric, closed)| {
            let before = room.metering.meters.get(*metric).map(|meter| &meter.row.blocked);
            !closed.lines.is_empty() || before != Some(&closed.row.blocked)
        });
        for (metric, Closed { row, lines }) in closed {
            self.effects.change(room::Change::Usage(Change::Closed(metric.clone(), row, lines)));
        }
        counts.closed = periods.len() as u64;
        Ok(Stride { done: counts, more })
    }

    /// The line of one period of a metric of which `row` is kept by then, or why it stays open. Its
    /// seats count on the days before `until`.
    pub(super) fn close(
        &self,
        metric: &MetricName,
        meter: &Meter,
        due: DuePeriod<'_>,
        row: &MeterRow,
        until: Date,
    ) -> Result<Result<UsageLine, Blocked>, Refusal> {
        let (room, period) = (self.room, due.period);
        let reading = if metric.is_seats() {
            Reading::of_seats(&room.metering.ledger.seats, &period, until)
        } else {
            let key = (room.seller, room.id);
            Reading::of_events(&*meter.total(self.cx, key, metric, period.span)?)
        };
        let id = UsageLineId(self.cx.id(ids::USAGE_LINE));
        match due.close(id, metric, row, reading, self.moment.wall) {
            Ok(line) => Ok(Ok(line)),
            Err(refusal) => {
                let (span, reason) = (period.span, refusal.to_string());
                let known = meter.row.blocked_for(span, &reason);
                if known.is_none() {
                    let (seller, contract, from) = (room.seller.0, room.id.0, span.start);
                    tracing::warn!(seller, contract, %metric, %from, %refusal, "a usage period stays open");
                }
                let tried = self.seller.usage_ended_by(self.moment.wall);
                Ok(Err(Blocked::of(span, reason, known, tried)))
            }
        }
    }

    fn closed_entry(&self, line: &UsageLine) -> TimelineEntry {
        let (start, end) = (line.span.start, line.span.end);
        TimelineEntry {
            kind: TimelineKind::UsagePeriodClosed,
            occurred_at: self.moment.engine,
            subscription: Some(line.subscription),
            invoice: None,
            amount_minor: Some(line.amount_minor()),
            currency: self.room.contract.as_ref().map(|contract| contract.currency),
            detail: Some(format!("{} from {start} to {end}", line.metric)),
        }
    }
}

type Periods<'a> = Box<dyn Iterator<Item = DuePeriod<'a>> + 'a>;

/// The periods that are over on a day and not closed: of each metric the oldest, with the others
/// behind it.
struct Over<'a> {
    oldest: BinaryHeap<Reverse<(Date, Date, &'a MetricName)>>,
    behind: BTreeMap<&'a MetricName, (&'a Meter, Option<DuePeriod<'a>>, Periods<'a>)>,
}

impl<'a> Over<'a> {
    fn of(room: &'a ContractRoom, today: Date) -> Self {
        let mut over = Self { oldest: BinaryHeap::new(), behind: BTreeMap::new() };
        for (metric, meter) in &room.metering.meters {
            let due = due_periods(&room.coverage, &meter.row, &meter.prices)
                .take_while(move |due| due.period.span.end <= today);
            over.behind.insert(metric, (meter, None, Box::new(due)));
            over.next_of(metric);
        }
        over
    }

    /// Takes the oldest of all. Those behind it wait for [`next_of`](Self::next_of).
    fn oldest(&mut self) -> Option<(&'a MetricName, &'a Meter, DuePeriod<'a>)> {
        let Reverse((_, _, metric)) = self.oldest.pop()?;
        let (meter, due, _) = self.behind.get_mut(metric)?;
        Some((metric, *meter, due.take()?))
    }

    fn next_of(&mut self, metric: &'a MetricName) {
        let Some((_, due, behind)) = self.behind.get_mut(metric) else { return };
        *due = behind.next();
        if let Some(DuePeriod { period, .. }) = due {
            self.oldest.push(Reverse((period.span.end, period.span.start, metric)));
        }
    }
}
