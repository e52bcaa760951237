//! What the open days of a period come to: added up once, then kept up to date.

use std::sync::Arc;

use storage::{ReadError, Scan, Store};

use super::Meter;
use super::day::OpenDay;
use crate::contract::room::{Context, ContractKey};
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{Measured, MetricName, UsageTotal};
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;
use crate::query::usage::day_values;
use crate::tables::USAGE_DAYS;

/// Periods whose totals are kept at most; an event adds to each that has its day.
const TOTALS_KEPT: usize = 4;

#[derive(Clone, Debug)]
pub(super) struct PeriodTotal {
    span: Span,
    /// How many days of the span were closed then.
    closed: i64,
    /// Shared with the command that is being decided, and with nobody when it is applied.
    total: Arc<UsageTotal>,
}

impl PeriodTotal {
    pub(super) fn count(&mut self, day: Date, event: Measured) {
        if self.span.contains(day) {
            Arc::make_mut(&mut self.total).add(event);
        }
    }
}

impl Meter {
    /// What was used on those days of a span that are not closed, with what is under way.
    pub(in crate::contract::metering) fn total(
        &self,
        cx: &Context,
        key: ContractKey,
        metric: &MetricName,
        span: Span,
    ) -> Result<Arc<UsageTotal>, Refusal> {
        let open: i64 = self.row.open_parts(span).into_iter().map(Span::days).sum();
        let closed = span.days() - open;
        let mut totals = self.totals.borrow_mut();
        if let Some(known) = totals.iter().find(|one| one.span == span && one.closed == closed) {
            return Ok(Arc::clone(&known.total));
        }
        let is_open = |day| !self.row.is_closed(day);
        let total = Arc::new(cx.read(self.add_up(cx.store(), key, metric, span, is_open))?);
        totals.retain(|known| known.span != span);
        if totals.len() == TOTALS_KEPT {
            totals.remove(0);
        }
        totals.push(PeriodTotal { span, closed, total: Arc::clone(&total) });
        Ok(total)
    }

    /// What was used on the days of a span that is closed, but for what came late.
    pub(in crate::contract::metering) fn closed_total(
        &self,
        cx: &Context,
        key: ContractKey,
        metric: &MetricName,
        span: Span,
    ) -> Result<UsageTotal, Refusal> {
        cx.read(self.add_up(cx.store(), key, metric, span, |_| true))
    }

    /// The first day from `day` on of which something is counted.
    pub(in crate::contract::metering) fn first_used(
        &self,
        cx: &Context,
        (seller, contract): ContractKey,
        metric: &MetricName,
        day: Date,
    ) -> Result<Option<Date>, Refusal> {
        let of_metric = (seller, contract, metric.clone());
        let days = Scan::prefix(&of_metric).from(&(seller, contract, metric.clone(), day)).first();
        let stored = cx.store().scan(USAGE_DAYS, days).keys().next();
        let stored = cx.read(stored.transpose())?.map(|(.., day)| day);
        let open = self.days.range(day..).map(|(day, _)| *day).next();
        Ok([stored, open].into_iter().flatten().min())
    }

    /// The same from those days alone that count: those in memory are ahead of those on disk.
    fn add_up(
        &self,
        store: &Store,
        (seller, contract): ContractKey,
        metric: &MetricName,
        span: Span,
        counts: impl Fn(Date) -> bool,
    ) -> Result<UsageTotal, ReadError> {
        let mut total = UsageTotal::default();
        let days = Scan::prefix(&(seller, contract, metric.clone()))
            .from(&(seller, contract, metric.clone(), span.start))
            .until(&(seller, contract, metric.clone(), span.end));
        for row in store.scan(USAGE_DAYS, days) {
            let (key, row) = row?;
            if !self.days.contains_key(&key.3) && counts(key.3) {
                let values = day_values(store, &key, &row)?;
                row.add_to(&mut total, |version| values.get(&version));
            }
        }
        let open = self.days.range(span.start..span.end);
        open.filter(|(day, _)| counts(**day))
            .map(|(_, open)| open)
            .for_each(|open: &OpenDay| open.add_to(&mut total));
        Ok(total)
    }

    /// Lets go of what periods come to, for example when there are other periods.
    pub(in crate::contract::metering) fn forget_totals(&mut self) {
        self.totals.get_mut().clear();
    }
}
