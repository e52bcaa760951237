//! Where the events of a command belong.

use std::sync::Arc;

use crate::contract::metering::Metering;
use crate::directory::SellerSnapshot;
use crate::domain::billing::subscription::Span;
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::billing::usage::{Coverage, Metric, MetricName, UsageLimit};
use crate::domain::ids::UsageEventId;
use crate::domain::time::{Date, Timestamp};

/// A metric on a day.
pub(super) struct Place<'a> {
    pub(super) metric: &'a MetricName,
    pub(super) day: Date,
    /// The current definition, if the metric is registered.
    pub(super) definition: Option<Arc<Metric>>,
    /// The period of the day, if a subscription covers it.
    pub(super) period: Option<Span>,
    /// Whether the day was billed for the metric already.
    pub(super) closed: bool,
    /// New events: which one of the command, and its id.
    pub(super) fresh: Vec<(usize, UsageEventId)>,
}

impl<'a> Place<'a> {
    pub(super) fn of(
        metric: &'a MetricName,
        day: Date,
        seller: &SellerSnapshot,
        coverage: &Coverage,
        metering: &Metering,
    ) -> Self {
        let meter = metering.meters.get(metric);
        Self {
            metric,
            day,
            definition: seller.metric(metric).cloned(),
            period: coverage.period_of(day).map(|period| period.span),
            closed: meter.is_some_and(|meter| meter.row.is_closed(day)),
            fresh: Vec::new(),
        }
    }

    pub(super) fn is(&self, metric: &MetricName, day: Date) -> bool {
        self.day == day && self.metric == metric
    }
}

/// What the timeline tells of a soft limit (billing 2.5).
pub(super) fn exceeded(
    metric: &MetricName,
    limit: UsageLimit,
    period: Span,
    now: Timestamp,
) -> TimelineEntry {
    let (cap, from) = (limit.cap_quantity, period.start);
    TimelineEntry {
        kind: TimelineKind::UsageCapExceeded,
        occurred_at: now,
        subscription: None,
        invoice: None,
        amount_minor: None,
        currency: None,
        detail: Some(format!(
            "{metric} is above its soft limit of {cap} in the period from {from}"
        )),
    }
}
