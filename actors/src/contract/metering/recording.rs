//! Recording events: which are new, which are refused, and the one batch that they all become.

mod pass;

use std::sync::Arc;

use self::pass::Pass;
use super::meter::OpenDay;
use crate::contract::Contracts;
use crate::contract::room::{Change, Context, ContractRoom, Decision, Effects};
use crate::domain::billing::usage::{Ingested, Measured, MetricName, NewEvent, UsageEvent};
use crate::domain::ids::{ContractId, SellerId, UsageEventId};
use crate::domain::refusal::Refusal;
use crate::domain::time::{Date, Timestamp};
use crate::kernel::AskError;
use crate::tables::{USAGE_KEYS, ids};

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
        let events = Arc::new(events);
        let record = move |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            let (verdicts, effects) = room.judge(cx, &events)?;
            Ok(match effects {
                Some(effects) => effects.answer(verdicts),
                None => Decision::unchanged(verdicts),
            })
        };
        self.rooms.command((seller, contract), record).await
    }
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
