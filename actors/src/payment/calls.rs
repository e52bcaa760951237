//! Calls to processors: so many at once for each terminal, and none to one that keeps its callers
//! waiting in vain.

mod breaker;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use self::breaker::Breaker;
use crate::domain::ids::{SellerId, TerminalId};

pub use self::breaker::BreakerState;

/// Calls to one terminal's processor at once, and callers that wait for their turn.
const AT_ONCE: usize = 256;
const WAITING: usize = 1_024;
/// Looks after buyers at once, and those that wait for their turn, which comes before the places
/// above: whoever waits for an answer finds one however many looks are due.
const LOOKS_AT_ONCE: usize = 32;
const LOOKS_WAITING: usize = 4_096;
/// How many terminals are known before those that nobody uses are let go.
const TIDY_ABOVE: usize = 10_000;

/// Whose processor is called; without a terminal, the one of demo mode.
pub type TerminalKey = (SellerId, Option<TerminalId>);

/// What became of a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended<T> {
    Answered(T),
    TimedOut,
    /// It was not made: the processor keeps its callers waiting, or too many call it.
    NotMade,
}

#[derive(Default)]
pub struct Calls {
    gates: DashMap<TerminalKey, Arc<Gate>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFigures {
    pub under_way: usize,
    /// The terminals whose processor is not called freely.
    pub held_back: Vec<(TerminalKey, BreakerState)>,
}

struct Gate {
    places: Semaphore,
    waiting: AtomicUsize,
    looks: Arc<Semaphore>,
    looks_waiting: AtomicUsize,
    breaker: Mutex<Breaker>,
}

impl Calls {
    /// Whether a call would be made now: not while the breaker is open, nor behind a long line.
    pub fn are_made(&self, key: TerminalKey) -> bool {
        let gate = self.gates.get(&key);
        gate.is_none_or(|gate| {
            gate.waiting.load(Ordering::Relaxed) < WAITING
                && gate.breaker.lock().state(Instant::now()) != BreakerState::Open
        })
    }

    /// Makes a call when it is its turn, which may take as long as the call itself. `in_vain`
    /// says of an answer that it tells of a time-out.
    pub async fn make<T>(
        &self,
        key: TerminalKey,
        within: Duration,
        call: impl Future<Output = T>,
        in_vain: impl FnOnce(&T) -> bool,
    ) -> Ended<T> {
        let gate = self.gate(key);
        let Some(waits) = Waits::begin(&gate.waiting, WAITING) else { return Ended::NotMade };
        if gate.breaker.lock().state(Instant::now()) == BreakerState::Open {
            return Ended::NotMade;
        }
        let Ok(Ok(_place)) = timeout_at(Instant::now() + within, gate.places.acquire()).await
        else {
            return Ended::NotMade;
        };
        drop(waits);
        // It may have opened while this call waited.
        let Some(attempt) = Attempt::begin(&gate, key) else { return Ended::NotMade };
        match timeout(within, call).await {
            Ok(answer) => {
                attempt.end(in_vain(&answer));
                Ended::Answered(answer)
            }
            Err(_) => {
                attempt.end(true);
                Ended::TimedOut
            }
        }
    }

    /// Waits for the turn of a look, which lasts as long as the permit. `None` behind a long line:
    /// the next look comes by itself.
    pub async fn turn_to_look(&self, key: TerminalKey) -> Option<OwnedSemaphorePermit> {
        let gate = self.gate(key);
        let _waits = Waits::begin(&gate.looks_waiting, LOOKS_WAITING)?;
        Arc::clone(&gate.looks).acquire_owned().await.ok()
    }

    pub fn figures(&self) -> CallFigures {
        let mut figures = CallFigures { under_way: 0, held_back: Vec::new() };
        for gate in &self.gates {
            figures.under_way += AT_ONCE - gate.places.available_permits();
            let state = gate.breaker.lock().state(Instant::now());
            if state != BreakerState::Closed {
                figures.held_back.push((*gate.key(), state));
            }
        }
        figures
    }

    fn gate(&self, key: TerminalKey) -> Arc<Gate> {
        if let Some(gate) = self.gates.get(&key) {
            return Arc::clone(&gate);
        }
        if self.gates.len() > TIDY_ABOVE {
            self.gates
                .retain(|_, gate| Arc::strong_count(gate) > 1 || !gate.breaker.lock().is_new());
        }
        let gate = || {
            Arc::new(Gate {
                places: Semaphore::new(AT_ONCE),
                waiting: AtomicUsize::new(0),
                looks: Arc::new(Semaphore::new(LOOKS_AT_ONCE)),
                looks_waiting: AtomicUsize::new(0),
                breaker: Mutex::default(),
            })
        };
        Arc::clone(&self.gates.entry(key).or_insert_with(gate))
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("figures", &self.figures()).finish()
    }
}

/// A place in a line.
struct Waits<'g>(&'g AtomicUsize);

impl<'g> Waits<'g> {
    fn begin(waiting: &'g AtomicUsize, most: usize) -> Option<Self> {
        let before = waiting.fetch_add(1, Ordering::AcqRel);
        let waits = Self(waiting);
        (before < most).then_some(waits)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A call that is being made. One that is dropped says nothing about the processor.
struct Attempt<'g> {
    gate: &'g Gate,
    key: TerminalKey,
    ended: bool,
}

impl<'g> Attempt<'g> {
    fn begin(gate: &'g Gate, key: TerminalKey) -> Option<Self> {
        let admitted = gate.breaker.lock().admit(Instant::now());
        admitted.then_some(Self { gate, key, ended: false })
    }

    fn end(mut self, in_vain: bool) {
        self.ended = true;
        let mut breaker = self.gate.breaker.lock();
        let before = breaker.state(Instant::now());
        breaker.note(in_vain, Instant::now());
        let after = breaker.state(Instant::now());
        drop(breaker);
        let ((SellerId(seller), terminal), closed) = (self.key, BreakerState::Closed);
        let terminal = terminal.map(|terminal| terminal.0);
        if after == BreakerState::Open && before != BreakerState::Open {
            tracing::warn!(
                seller,
                terminal,
                "a processor does not answer and is left alone for a while"
            );
        } else if after == closed && before != closed {
            tracing::info!(seller, terminal, "a processor answers again");
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.gate.breaker.lock().forget_probe();
        }
    }
}

#[cfg(test)]
mod tests;
