//! Calls that come while others of the same contract wait for its room are decided together: one
//! decision and one set of rows for all of them, and an answer for each.

use std::sync::{Arc, OnceLock};

use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use parking_lot::Mutex;
use rustc_hash::FxHashSet;
use tokio::sync::oneshot;

use super::{DAYS_AT_ONCE, Verdicts};
use crate::contract::room::{ContractKey, ContractRoom};
use crate::domain::billing::usage::{MetricName, NewEvent};
use crate::domain::time::Date;
use crate::kernel::{AskError, Decision, Rooms};

/// Events that are decided together, and their bytes at most, unless they are of one call.
const EVENTS_AT_ONCE: usize = 512;
const BYTES_AT_ONCE: usize = 256 * 1024;

type Answer = Result<Verdicts, AskError>;

/// The calls that wait, by contract.
#[derive(Clone, Default)]
pub(in crate::contract) struct Waiting {
    by_contract: Arc<DashMap<ContractKey, Arc<Together>>>,
}

/// Calls that are decided together: others join until the room takes them.
#[derive(Default)]
struct Together {
    calls: Mutex<Calls>,
    taken: OnceLock<Arc<Vec<NewEvent>>>,
}

#[derive(Default)]
struct Calls {
    is_closed: bool,
    events: Vec<NewEvent>,
    bytes: usize,
    days: FxHashSet<(MetricName, Date)>,
    /// How many of the events are of each call, in order.
    ports: Vec<(usize, oneshot::Sender<Answer>)>,
}

struct Call {
    events: Vec<NewEvent>,
    bytes: usize,
    days: FxHashSet<(MetricName, Date)>,
    port: oneshot::Sender<Answer>,
}

impl Waiting {
    /// Records events of at most [`DAYS_AT_ONCE`] days, in order: what became of each.
    pub(super) async fn record(
        &self,
        rooms: &Rooms<ContractRoom>,
        contract: ContractKey,
        events: Vec<NewEvent>,
    ) -> Answer {
        let (port, answer) = oneshot::channel();
        if let Some(first) = self.join(contract, Call::new(events, port)) {
            let (waiting, rooms) = (self.clone(), rooms.clone());
            // On its own: the others need their answers although the first caller may go away.
            tokio::spawn(async move { waiting.decide(&rooms, contract, first).await });
        }
        answer.await.unwrap_or(Err(AskError::Unanswered))
    }

    /// Adds a call to those that wait; what it is the first of is still to be decided.
    fn join(&self, contract: ContractKey, call: Call) -> Option<Arc<Together>> {
        let first = match self.by_contract.entry(contract) {
            Entry::Occupied(mut waiting) => {
                let first = Arc::new(Together::of(waiting.get().add(call)?));
                waiting.insert(Arc::clone(&first));
                first
            }
            Entry::Vacant(place) => Arc::clone(&place.insert(Arc::new(Together::of(call)))),
        };
        Some(first)
    }

    async fn decide(
        &self,
        rooms: &Rooms<ContractRoom>,
        contract: ContractKey,
        calls: Arc<Together>,
    ) {
        let taken = Arc::clone(&calls);
        let record = move |room: &ContractRoom, cx: &_| {
            room.contract()?;
            let (verdicts, effects) = room.judge(cx, taken.take())?;
            Ok(match effects {
                Some(effects) => effects.answer(verdicts),
                None => Decision::unchanged(verdicts),
            })
        };
        let decided = rooms.command(contract, record).await;
        self.by_contract.remove_if(&contract, |_, waiting| Arc::ptr_eq(waiting, &calls));
        calls.answer(decided);
    }
}

impl Together {
    fn of(call: Call) -> Self {
        let together = Self::default();
        together.calls.lock().push(call);
        together
    }

    /// Adds a call; gives it back where it comes too late or there is no room.
    fn add(&self, call: Call) -> Option<Call> {
        let mut calls = self.calls.lock();
        if calls.is_closed || !calls.has_room(&call) {
            return Some(call);
        }
        calls.push(call);
        None
    }

    /// The events of all calls, in order; nobody joins any more.
    fn take(&self) -> &Arc<Vec<NewEvent>> {
        self.taken.get_or_init(|| {
            let mut calls = self.calls.lock();
            calls.is_closed = true;
            Arc::new(std::mem::take(&mut calls.events))
        })
    }

    fn answer(&self, decided: Answer) {
        self.take();
        let ports = std::mem::take(&mut self.calls.lock().ports);
        let mut verdicts = decided.map(Vec::into_iter);
        for (count, port) in ports {
            let own = match &mut verdicts {
                Ok(verdicts) => Ok(verdicts.take(count).collect()),
                Err(error) => Err(error.clone()),
            };
            // A caller who gave up needs no answer.
            let _ = port.send(own);
        }
    }
}

impl Calls {
    fn has_room(&self, call: &Call) -> bool {
        let new = call.days.iter().filter(|day| !self.days.contains(*day)).count();
        self.events.len() + call.events.len() <= EVENTS_AT_ONCE
            && self.bytes + call.bytes <= BYTES_AT_ONCE
            && self.days.len() + new <= DAYS_AT_ONCE
    }

    fn push(&mut self, call: Call) {
        self.ports.push((call.events.len(), call.port));
        self.events.extend(call.events);
        self.bytes += call.bytes;
        self.days.extend(call.days);
    }
}

impl Call {
    fn new(events: Vec<NewEvent>, port: oneshot::Sender<Answer>) -> Self {
        let bytes = events.iter().map(NewEvent::most_bytes).sum();
        let mut days = FxHashSet::default();
        for (before, event) in std::iter::once(None).chain(events.iter().map(Some)).zip(&events) {
            if before.is_none_or(|before| !before.is_of_the_day_of(event)) {
                days.insert((event.metric.clone(), event.occurred_at.date()));
            }
        }
        Self { events, bytes, days, port }
    }
}
