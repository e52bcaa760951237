//! Recording events: which are new, which are refused, and the one batch that they all become.

mod pass;
mod together;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use self::pass::Pass;
pub(in crate::contract) use self::together::Waiting;
use super::meter::OpenDay;
use crate::contract::Contracts;
use crate::contract::room::{Change, Context, ContractRoom, Decision, Effects};
use crate::domain::billing::usage::upload::{Window, WindowOutcome};
use crate::domain::billing::usage::{Ingested, Measured, MetricName, NewEvent, UsageEvent};
use crate::domain::ids::{ContractId, SellerId, UsageEventId};
use crate::domain::refusal::Refusal;
use crate::domain::time::{Date, Timestamp};
use crate::kernel::AskError;
use crate::tables::{UPLOAD_WINDOWS, USAGE_KEYS, ids};

/// Days, each of a metric, that one batch writes. A day is up to about 100 KiB: its row with the
/// events that wait, a chunk of those before them, and its distinct values.
const DAYS_AT_ONCE: usize = 32;

pub(super) type Verdicts = Vec<Result<Ingested, Refusal>>;

/// Events that are to be counted and kept.
#[derive(Debug)]
pub(in crate::contract) struct Recorded {
    pub(super) events: Arc<Vec<NewEvent>>,
    pub(super) now: Timestamp,
    pub(super) days: Vec<RecordedDay>,
    /// Metrics whose soft limit is exceeded from now on, each with the first day of its period.
    pub(super) exceeded: Vec<(MetricName, Date)>,
    /// Days that memory can do without.
    pub(super) idle: Vec<(MetricName, Date)>,
}

#[derive(Debug)]
pub(super) struct RecordedDay {
    pub(super) metric: MetricName,
    pub(super) day: Date,
    /// The day, where it was not in memory.
    pub(super) read: Option<OpenDay>,
    pub(super) tail: Option<Vec<UsageEvent>>,
    /// Which events of the command, in order, with their ids.
    pub(super) fresh: Vec<(usize, UsageEventId, Measured)>,
}

impl Contracts {
    /// Records events, in order: what became of each. The whole is [`Refusal::missing`] for an
    /// unknown contract; [`AskError::Busy`] also when other contracts keep taking the same keys.
    pub async fn record_usage(
        &self,
        seller: SellerId,
        contract: ContractId,
        events: Vec<NewEvent>,
    ) -> Result<Vec<Result<Ingested, Refusal>>, AskError> {
        let mut verdicts = Vec::with_capacity(events.len());
        for events in strides(events) {
            let recorded = self.usage.record(&self.rooms, (seller, contract), events).await;
            // What was recorded before is: the same events again find that it was.
            let begun = !verdicts.is_empty();
            verdicts.extend(recorded.map_err(|e| if begun { AskError::Unanswered } else { e })?);
        }
        Ok(verdicts)
    }

    /// Records the rows of an upload that belong to a contract: as other events, and with how they
    /// fared, so that rows which come again after a crash are answered as they were.
    pub async fn record_upload(
        &self,
        seller: SellerId,
        contract: ContractId,
        window: Window,
        events: Vec<NewEvent>,
    ) -> Result<WindowOutcome, AskError> {
        let events = Arc::new(events);
        let record = move |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            let row = (seller, window.upload, window.row, contract);
            if let Some(known) = cx.get(UPLOAD_WINDOWS, &row)? {
                return Ok(Decision::unchanged(known));
            }
            let (verdicts, effects) = room.judge(cx, &events)?;
            let mut outcome = WindowOutcome::default();
            for (place, verdict) in (0..).zip(verdicts) {
                match verdict {
                    Ok(ingested) => outcome.recorded(ingested.duplicate),
                    Err(refusal) => outcome.refused(place, &refusal.text),
                }
            }
            // Rows of which none is new fare the same, or are new for the first time.
            let Some(mut effects) = effects else { return Ok(Decision::unchanged(outcome)) };
            effects.claim(UPLOAD_WINDOWS, &row, &outcome);
            Ok(effects.answer(outcome))
        };
        self.rooms.command((seller, contract), record).await
    }
}

/// Events in order, with those of so many days together as one batch takes.
fn strides(events: Vec<NewEvent>) -> Vec<Vec<NewEvent>> {
    if events.len() <= DAYS_AT_ONCE {
        return vec![events];
    }
    let (mut strides, mut stride) = (Vec::new(), Vec::<NewEvent>::with_capacity(events.len()));
    let mut days = FxHashSet::default();
    for event in events {
        if !stride.last().is_some_and(|last| last.is_of_the_day_of(&event)) {
            days.insert((event.metric.clone(), event.occurred_at.date()));
        }
        if days.len() > DAYS_AT_ONCE {
            days = [(event.metric.clone(), event.occurred_at.date())].into_iter().collect();
            strides.push(std::mem::take(&mut stride));
        }
        stride.push(event);
    }
    strides.push(stride);
    strides
}

impl ContractRoom {
    pub(super) fn judge(
        &self,
        cx: &Context,
        events: &Arc<Vec<NewEvent>>,
    ) -> Result<(Verdicts, Option<Effects>), Refusal> {
        let seller = cx.seller()?;
        let wanted: Vec<_> = events.iter().map(|event| event.fingerprint).collect();
        let lookup = cx.find_fingerprints(USAGE_KEYS, self.seller.0, &wanted)?;
        let free = lookup.found.iter().filter(|found| found.is_none()).count();
        let mut pass = Pass::new(self, cx, &seller, cx.ids(ids::USAGE_EVENT, free));
        let mut verdicts = Vec::with_capacity(events.len());
        for ((number, event), taken) in events.iter().enumerate().zip(lookup.found) {
            verdicts.push(pass.event(number, event, taken)?.map_err(Refusal::from));
        }
        let Some((mut effects, days, exceeded)) = pass.finish(lookup.seen)? else {
            return Ok((verdicts, None));
        };
        let idle = self.metering.idle_days(cx, (self.seller, self.id));
        let (events, now) = (Arc::clone(events), cx.now());
        let recorded = Recorded { events, now, days, exceeded, idle };
        effects.change(Change::Usage(super::Change::Recorded(Box::new(recorded))));
        Ok((verdicts, Some(effects)))
    }
}
