//! Closing periods that are over.

use std::collections::{BTreeMap, BTreeSet};

use super::Change;
use super::meter::Meter;
use crate::contract::Contracts;
use crate::contract::changes::Changes;
use crate::contract::room::{self, Context, ContractRoom};
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::billing::usage::{
    DuePeriod, MeterRow, MetricName, Reading, UsageLine, due_periods,
};
use crate::domain::ids::{ContractId, SellerId, UsageLineId};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;
use crate::kernel::AskError;
use crate::tables::ids;

/// The most lines that one batch closes; the timer of what is left stays due.
const MAX_LINES: usize = 200;

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

/// The periods of a metric that are closed so far, and what is kept of it after them.
struct Closed {
    row: MeterRow,
    lines: Vec<UsageLine>,
}

impl Contracts {
    /// Closes a contract's periods that are over, oldest first, some at once.
    pub async fn run_usage_close(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<CloseCounts, AskError> {
        let close = |room: &ContractRoom, cx: &Context| {
            let mut changes = Changes::begin(room, cx)?;
            let counts = changes.close_usage()?;
            Ok(changes.finish().answer(counts))
        };
        self.rooms.command((seller, contract), close).await
    }
}

impl Changes<'_> {
    /// Closes what is over by the wall clock, oldest first; a contract's test clock has no say
    /// in it.
    fn close_usage(&mut self) -> Result<CloseCounts, Refusal> {
        let mut counts = CloseCounts::default();
        if !self.seller.switch(Switch::UsageClosePass) {
            return Ok(CloseCounts { pass_disabled: true, ..counts });
        }
        let room = self.room;
        let mut closed: BTreeMap<&MetricName, Closed> = BTreeMap::new();
        let (mut periods, mut stuck) = (BTreeSet::new(), BTreeSet::new());
        for (metric, meter, due) in over(room, self.moment.wall.date()) {
            // What a period leaves is for the next: none is closed before the one in front of it.
            if stuck.contains(metric) {
                continue;
            }
            let so_far = || Closed { row: meter.row.clone(), lines: Vec::new() };
            let so_far = closed.entry(metric).or_insert_with(so_far);
            match self.close(metric, meter, due, &so_far.row)? {
                Some(line) => {
                    counts.lines += 1;
                    periods.insert((line.subscription, line.span.start));
                    self.timeline.push(self.closed_entry(&line));
                    so_far.row.take(&line);
                    so_far.lines.push(line);
                }
                None => {
                    counts.failed += 1;
                    stuck.insert(metric);
                }
            }
        }
        let closed = closed.into_iter().filter(|(_, closed)| !closed.lines.is_empty());
        for (metric, Closed { row, lines }) in closed {
            self.effects.change(room::Change::Usage(Change::Closed(metric.clone(), row, lines)));
        }
        counts.closed = periods.len() as u64;
        Ok(counts)
    }

    /// The line of one period of a metric of which `row` is kept by then; nothing where its
    /// amount is beyond all bounds.
    fn close(
        &self,
        metric: &MetricName,
        meter: &Meter,
        due: DuePeriod<'_>,
        row: &MeterRow,
    ) -> Result<Option<UsageLine>, Refusal> {
        let (room, period) = (self.room, due.period);
        let reading = if metric.is_seats() {
            Reading::of_seats(&room.metering.ledger.seats, &period)
        } else {
            let key = (room.seller, room.id);
            Reading::of_events(&*meter.total(self.cx, key, metric, period.span)?)
        };
        let id = UsageLineId(self.cx.id(ids::USAGE_LINE));
        match due.close(id, metric, row, reading, self.moment.wall) {
            Ok(line) => Ok(Some(line)),
            Err(refusal) => {
                let (seller, contract, from) = (room.seller.0, room.id.0, period.span.start);
                tracing::warn!(seller, contract, %metric, %from, %refusal, "a usage period stays open");
                Ok(None)
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

/// What is over on `today` and not closed, oldest first.
fn over(room: &ContractRoom, today: Date) -> Vec<(&MetricName, &Meter, DuePeriod<'_>)> {
    let mut over = Vec::new();
    for (metric, meter) in &room.metering.meters {
        let due = due_periods(&room.coverage, &meter.row, &meter.prices)
            .take_while(|due| due.period.span.end <= today)
            .take(MAX_LINES);
        over.extend(due.map(|due| (metric, meter, due)));
    }
    over.sort_by_key(|(metric, _, due)| (due.period.span.end, due.period.span.start, *metric));
    over.truncate(MAX_LINES);
    over
}
