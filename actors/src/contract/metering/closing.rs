//! Closing periods that are over (billing 3.3, 4.9).

use std::collections::BTreeSet;

use storage::ReadError;

use super::meter::Home;
use crate::contract::command::Answer;
use crate::contract::room::ContractRoom;
use crate::contract::write::{Write, unexpected};
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::billing::usage::{
    DuePeriod, MetricName, Reading, UsageLine, UsagePeriod, due_periods,
};
use crate::domain::ids::UsageLineId;
use crate::domain::platform::switches::Switch;
use crate::domain::time::Date;
use crate::room::Desk;
use crate::tables::{UNBILLED_LINES, USAGE_CLAIMS, USAGE_LINES, ids};

/// The most lines that one batch closes; the timer of what is left stays due.
const MAX_LINES: usize = 200;

/// What closing did to a contract.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CloseCounts {
    /// Periods that were closed, for one metric or several.
    pub closed: u64,
    /// Lines that this made: one for each metric of each period.
    pub lines: u64,
    /// Lines that could not be made.
    pub failed: u64,
    /// Whether the pass is switched off; then nothing was done.
    pub pass_disabled: bool,
}

/// A period of a metric that is to be closed, and the price version that rates it.
struct Over {
    metric: MetricName,
    period: UsagePeriod,
    price: u32,
}

impl ContractRoom {
    /// Whose usage this room records.
    pub(super) fn home(&self) -> Home {
        Home { seller: self.seller, contract: self.id }
    }

    pub(super) fn run_usage_close(&mut self, desk: &Desk<Self>, reply: Answer<CloseCounts>) {
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let counts = match self.close_over(&mut write, desk) {
            Ok(counts) => counts,
            Err(error) => return reply.send(Err(self.unreadable(desk, &error))),
        };
        write.finish(self, desk, reply, move |result| result.map(|_| counts).map_err(unexpected));
    }

    /// Closes what is over by the wall clock, oldest first; a contract's test clock
    /// has no say in it (decisions 12).
    fn close_over(
        &mut self,
        write: &mut Write,
        desk: &Desk<Self>,
    ) -> Result<CloseCounts, ReadError> {
        let mut counts = CloseCounts::default();
        if !write.snapshot.switch(Switch::UsageClosePass) {
            return Ok(CloseCounts { pass_disabled: true, ..counts });
        }
        let (mut periods, mut metrics) = (BTreeSet::new(), BTreeSet::new());
        let mut stuck: BTreeSet<MetricName> = BTreeSet::new();
        for over in self.over(write.now.date()) {
            // What a period leaves is for the next: none is closed before the one in front of it.
            if stuck.contains(&over.metric) {
                continue;
            }
            match self.close(write, desk, &over)? {
                Some(line) => {
                    counts.lines += 1;
                    periods.insert((line.subscription, line.span.start));
                    metrics.insert(over.metric);
                }
                None => {
                    counts.failed += 1;
                    stuck.insert(over.metric);
                }
            }
        }
        let home = self.home();
        for metric in metrics {
            if let Some(meter) = self.metering.meters.get_mut(&metric) {
                meter.put_row(&mut write.batch, home, &metric);
            }
        }
        counts.closed = periods.len() as u64;
        Ok(counts)
    }

    /// What is over on `today` and not closed, oldest first.
    fn over(&mut self, today: Date) -> Vec<Over> {
        let coverage = self.metering.coverage(&self.subscriptions);
        let mut over = Vec::new();
        for (metric, meter) in &self.metering.meters {
            let due = due_periods(&coverage, &meter.row, &meter.prices)
                .take_while(|due| due.period.span.end <= today)
                .take(MAX_LINES);
            over.extend(due.map(|DuePeriod { period, price }| Over {
                metric: metric.clone(),
                period,
                price: price.version,
            }));
        }
        over.sort_by(|a, b| {
            let (earlier, later) = (a.period.span, b.period.span);
            (earlier.end, earlier.start, &a.metric).cmp(&(later.end, later.start, &b.metric))
        });
        over.truncate(MAX_LINES);
        over
    }

    /// Closes one period of one metric; nothing where its amount is beyond all bounds.
    fn close(
        &mut self,
        write: &mut Write,
        desk: &Desk<Self>,
        over: &Over,
    ) -> Result<Option<UsageLine>, ReadError> {
        let Over { metric, period, price } = over;
        let home = self.home();
        let reading = if metric.is_seats() {
            Reading::of_seats(&self.metering.ledger.seats, period)
        } else {
            let total = self.metering.total(desk.store(), home, metric, period.span)?;
            Reading::of_events(&total)
        };
        let Some(meter) = self.metering.meters.get_mut(metric) else { return Ok(None) };
        let Some(price) = meter.prices.iter().find(|known| known.version == *price) else {
            return Ok(None);
        };
        let due = DuePeriod { period: *period, price };
        let id = UsageLineId(desk.next_id(ids::USAGE_LINE));
        let line = match due.close(id, metric, &meter.row, reading, write.now) {
            Ok(line) => line,
            Err(refusal) => {
                tracing::warn!(contract = self.id.0, %metric, %refusal, "a period stays open");
                return Ok(None);
            }
        };
        meter.row.take(&line);
        self.put_line(write, line.clone());
        Ok(Some(line))
    }

    fn put_line(&mut self, write: &mut Write, line: UsageLine) {
        let (seller, contract) = (self.seller, self.id);
        let key = (seller, contract, line.id);
        let claim = (seller, contract, line.metric.clone(), line.span.start);
        write.batch.claim(USAGE_CLAIMS, &claim, &line.id.0);
        write.batch.put(USAGE_LINES, &key, &line);
        write.batch.put(UNBILLED_LINES, &key, &());
        let (start, end) = (line.span.start, line.span.end);
        write.entry(TimelineEntry {
            kind: TimelineKind::UsagePeriodClosed,
            occurred_at: self.moment(write.now).engine,
            subscription: Some(line.subscription),
            invoice: None,
            amount_minor: Some(line.amount_minor()),
            currency: self.contract.as_ref().map(|contract| contract.currency),
            detail: Some(format!("{} from {start} to {end}", line.metric)),
        });
        self.metering.ledger.unbilled.insert(line.id, line);
    }
}
