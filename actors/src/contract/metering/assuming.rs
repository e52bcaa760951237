//! Usage that a forecast assumes, counted as events are.

use std::sync::Arc;

use super::Change;
use super::meter::OpenDay;
use crate::contract::room::{self, Context, ContractRoom, Decision, Effects};
use crate::domain::billing::usage::{
    AssumedUsage, Measured, MetricName, UsageTotal, kept_by_limit,
};
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;

#[derive(Debug)]
pub(in crate::contract) struct AssumedDay {
    pub(super) metric: MetricName,
    pub(super) day: Date,
    /// The day, where it was not in memory.
    pub(super) read: Option<OpenDay>,
    pub(super) events: Vec<Measured>,
}

/// What became of a day of assumed usage.
#[derive(Debug, Default)]
pub(in crate::contract) struct Assumed {
    /// Metrics whose hard limit let only a part of it through.
    pub(in crate::contract) limited: Vec<MetricName>,
}

impl ContractRoom {
    /// Counts what is assumed to be used on a day that is open.
    pub(in crate::contract) fn assume_usage(
        &self,
        cx: &Context,
        usage: &[AssumedUsage],
        day: Date,
    ) -> Result<Decision<Assumed>, Refusal> {
        let seller = cx.seller()?;
        let (mut days, mut assumed) = (Vec::new(), Assumed::default());
        for one in usage {
            let events = one.on(day, seller.metric(&one.metric).map(Arc::as_ref))?;
            let meter = self.metering.meters.get(&one.metric);
            if meter.is_some_and(|meter| meter.row.is_closed(day)) {
                continue;
            }
            let wanted = events.len();
            let events = self.within_limit(cx, &one.metric, day, events)?;
            if events.len() < wanted || events.iter().any(|event| event.0) {
                assumed.limited.push(one.metric.clone());
            }
            let events = events.into_iter().map(|(_, event)| event).collect();
            let read = match meter.and_then(|meter| meter.days.get(&day)) {
                Some(_) => None,
                None => {
                    let key = (self.seller, self.id, one.metric.clone(), day);
                    Some(cx.read(OpenDay::read(cx.store(), &key))?)
                }
            };
            days.push(AssumedDay { metric: one.metric.clone(), day, read, events });
        }
        let mut effects = Effects::new();
        effects.change(room::Change::Usage(Change::Assumed(days)));
        Ok(effects.answer(assumed))
    }

    /// The events that a metric's limit lets through, each with whether only a part of it is left.
    fn within_limit(
        &self,
        cx: &Context,
        metric: &MetricName,
        day: Date,
        events: Vec<Measured>,
    ) -> Result<Vec<(bool, Measured)>, Refusal> {
        let meter = self.metering.meters.get(metric);
        let limit = meter.and_then(|meter| meter.row.limit);
        let period = self.coverage.period_of(day).map(|period| period.span);
        let (Some(meter), Some(period), true) = (meter, period, limit.is_some()) else {
            return Ok(events.into_iter().map(|event| (false, event)).collect());
        };
        let total = meter.total(cx, (self.seller, self.id), metric, period)?;
        let mut total: UsageTotal = (*total).clone();
        let mut kept = Vec::with_capacity(events.len());
        for event in events {
            if let Some(part) = kept_by_limit(event, limit, &total) {
                total.add(part);
                kept.push((part != event, part));
            }
        }
        Ok(kept)
    }
}
