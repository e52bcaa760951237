//! Usage of open periods, as if they were closed now.

use super::Metering;
use super::meter::Meter;
use crate::contract::changes::Changes;
use crate::contract::room::{Context, ContractRoom};
use crate::domain::billing::pricing::in_force;
use crate::domain::billing::usage::{
    Adjustment, Blocked, Coverage, MeterRow, MetricName, UsageLine, due_periods, next_attempt,
    next_due,
};
use crate::domain::refusal::Refusal;
use crate::domain::time::{Date, Timestamp};

/// So many periods of a metric are looked at: usually one is open, and few wait to be closed.
const MAX_PERIODS: usize = 24;

impl Metering {
    /// The day on which the next period of a metric that has a price is over.
    pub(in crate::contract) fn next_close(&self, coverage: &Coverage) -> Option<Date> {
        let due = self.meters.values();
        due.filter_map(|meter| next_due(coverage, &meter.row, &meter.prices)).min()
    }

    /// When the next period is to be closed, where some stay open that were tried before: each of
    /// them is tried ever less often.
    pub(super) fn attempt_ahead(&self, coverage: &Coverage) -> Option<Timestamp> {
        if self.meters.values().all(|meter| meter.row.blocked.is_empty()) {
            return None;
        }
        let due = self.meters.values();
        due.filter_map(|meter| next_attempt(coverage, &meter.row, &meter.prices)).min()
    }

    /// Corrections below 0 that no document is to carry any more: nothing asks for one, and no
    /// period is left to be closed.
    pub(in crate::contract) fn last_credits(
        &self,
        coverage: &Coverage,
    ) -> impl Iterator<Item = &Adjustment> {
        let open = &self.ledger.adjustments;
        let last = !open.is_empty()
            && self.ledger.asks_since().is_none()
            && self.next_close(coverage).is_none();
        open.values().filter(move |_| last)
    }
}

impl ContractRoom {
    /// Notes of metrics that were used in a period without a price, which is not closed before one
    /// covers it.
    pub(in crate::contract) fn unpriced(&self, cx: &Context) -> Result<Vec<String>, Refusal> {
        let mut notes = Vec::new();
        let is_used = |meter: &Meter| meter.row.used || meter.open_days() > 0;
        for (metric, meter) in self.metering.meters.iter().filter(|(_, meter)| is_used(meter)) {
            if let Some(from) = self.unpriced_from(cx, metric, meter)? {
                notes.push(format!(
                    "{metric} has no price in the period from {from}: what is used of it is not \
                     billed"
                ));
            }
        }
        Ok(notes)
    }

    /// The first day of the oldest period in which a metric is used and has no price. Behind the
    /// first period with a price each has one.
    fn unpriced_from(
        &self,
        cx: &Context,
        metric: &MetricName,
        meter: &Meter,
    ) -> Result<Option<Date>, Refusal> {
        let mut period = self.coverage.periods().next().filter(|_| !metric.is_seats());
        // Usage that no period covers lies between.
        for _ in 0..MAX_PERIODS {
            let span = period.map(|period| period.span);
            let unpriced = span.filter(|span| in_force(&meter.prices, *span).is_none());
            let Some(span) = unpriced else { return Ok(None) };
            let key = (self.seller, self.id);
            let Some(used) = meter.first_used(cx, key, metric, span.start)? else {
                return Ok(None);
            };
            if span.contains(used) {
                return Ok(Some(span.start));
            }
            period = self.coverage.periods_from(used).next();
        }
        Ok(None)
    }
}

impl Metering {
    /// Periods that are over and cannot be closed: the metric, the first day and why.
    pub(in crate::contract) fn blocked(&self) -> impl Iterator<Item = (MetricName, Date, String)> {
        self.meters.iter().flat_map(|(metric, meter)| {
            let told = |of: &Blocked| (metric.clone(), of.span.start, of.reason.clone());
            meter.row.blocked.iter().map(told).collect::<Vec<_>>()
        })
    }
}

impl Changes<'_> {
    /// The day on which a usage period of this end is closed: until then it waits for late events.
    pub(in crate::contract) fn closes_on(&self, end: Date) -> Date {
        end.start().plus_seconds(self.seller.usage_grace_seconds()).date()
    }

    /// What the periods that are closed by `day` come to with what was used so far: seats do not
    /// count on days that are still to come.
    pub(in crate::contract) fn usage_closing_by(
        &self,
        day: Date,
        notes: &mut Vec<String>,
    ) -> Result<Vec<UsageLine>, Refusal> {
        let room = self.room;
        let tomorrow = self.moment.today().plus_days(1);
        let mut lines = Vec::new();
        for (metric, meter) in &room.metering.meters {
            let due = due_periods(&room.coverage, &meter.row, &meter.prices);
            let mut by_then = due.take_while(|due| self.closes_on(due.period.span.end) <= day);
            let mut row: MeterRow = meter.row.clone();
            for due in by_then.by_ref().take(MAX_PERIODS) {
                let span = due.period.span;
                match self.close(metric, meter, due, &row, tomorrow)? {
                    Ok(line) => {
                        notes.extend(self.still_open(metric, span.end));
                        row.take(&line);
                        lines.push(line);
                    }
                    Err(blocked) => notes.push(format!(
                        "{metric} from {} stays open: {}",
                        blocked.span.start, blocked.reason
                    )),
                }
            }
            if by_then.next().is_some() {
                notes.push(format!("{metric}: only the oldest {MAX_PERIODS} periods are shown"));
            }
        }
        Ok(lines)
    }

    /// Says that more may come of a period of this end, or that another clock closes it, if so.
    fn still_open(&self, metric: &MetricName, end: Date) -> Option<String> {
        let (today, closes) = (self.moment.today(), self.closes_on(end));
        if closes <= today {
            return (closes > self.moment.wall.date()).then(|| {
                format!("{metric} to {end}: usage closes by the wall clock, which is not there yet")
            });
        }
        let late = match closes > end {
            true => format!(", and it waits for late events until {closes}"),
            false => String::new(),
        };
        Some(format!("{metric} counts what was used so far: its period ends on {end}{late}"))
    }
}
