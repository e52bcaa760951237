//! Calls to processors: so many at once for each terminal, and none to one that keeps its callers
//! waiting in vain.

mod breaker;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use self::breaker::Breaker;
use crate::domain::ids::{SellerId, TerminalId};

pub use self::breaker::BreakerState;

/// Calls to one terminal's processor at once, and callers that wait for their turn.
const AT_ONCE: usize = 256;
const WAITING: usize = 1_024;
/// How many terminals are known before those that nobody uses are let go.
const TIDY_ABOVE: usize = 10_000;

/// Whose processor is called; without a terminal, the one of demo mode.
pub type Route = (SellerId, Option<TerminalId>);

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
    gates: DashMap<Route, Arc<Gate>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFigures {
    pub under_way: usize,
    /// The terminals whose processor is not called freely.
    pub held_back: Vec<(Route, BreakerState)>,
}

struct Gate {
    places: Semaphore,
    waiting: AtomicUsize,
    breaker: Mutex<Breaker>,
}

impl Calls {
    /// Whether a call would be made now: not while the breaker is open, nor behind a long line.
    pub fn are_made(&self, route: Route) -> bool {
        let gate = self.gates.get(&route);
        gate.is_none_or(|gate| {
            gate.waiting.load(Ordering::Relaxed) < WAITING
                && gate.breaker.lock().state(Instant::now()) != BreakerState::Open
        })
    }

    /// Makes a call when it is its turn, which may take as long as the call itself. `in_vain`
    /// says of an answer that it tells of a time-out.
    pub async fn make<T>(
        &self,
        route: Route,
        within: Duration,
        call: impl Future<Output = T>,
        in_vain: impl FnOnce(&T) -> bool,
    ) -> Ended<T> {
        let gate = self.gate(route);
        let Some(waits) = Waits::begin(&gate) else { return Ended::NotMade };
        if gate.breaker.lock().state(Instant::now()) == BreakerState::Open {
            return Ended::NotMade;
        }
        let Ok(Ok(_place)) = timeout_at(Instant::now() + within, gate.places.acquire()).await
        else {
            return Ended::NotMade;
        };
        drop(waits);
        // It may have opened while this call waited.
        let Some(attempt) = Attempt::begin(&gate, route) else { return Ended::NotMade };
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

    fn gate(&self, route: Route) -> Arc<Gate> {
        if let Some(gate) = self.gates.get(&route) {
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
                breaker: Mutex::default(),
            })
        };
        Arc::clone(&self.gates.entry(route).or_insert_with(gate))
    }
}

impl fmt::Debug for Calls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calls").field("figures", &self.figures()).finish()
    }
}

/// A place in the line.
struct Waits<'g>(&'g Gate);

impl<'g> Waits<'g> {
    fn begin(gate: &'g Gate) -> Option<Self> {
        let before = gate.waiting.fetch_add(1, Ordering::AcqRel);
        let waits = Self(gate);
        (before < WAITING).then_some(waits)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A call that is being made. One that is dropped says nothing about the processor.
struct Attempt<'g> {
    gate: &'g Gate,
    route: Route,
    ended: bool,
}

impl<'g> Attempt<'g> {
    fn begin(gate: &'g Gate, route: Route) -> Option<Self> {
        let admitted = gate.breaker.lock().admit(Instant::now());
        admitted.then_some(Self { gate, route, ended: false })
    }

    fn end(mut self, in_vain: bool) {
        self.ended = true;
        let mut breaker = self.gate.breaker.lock();
        let before = breaker.state(Instant::now());
        breaker.note(in_vain, Instant::now());
        let after = breaker.state(Instant::now());
        drop(breaker);
        let ((SellerId(seller), terminal), closed) = (self.route, BreakerState::Closed);
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
mod tests {
    use std::future::{pending, ready};

    use super::*;

    const ROUTE: Route = (SellerId(1), Some(TerminalId(1)));
    const SHORT: Duration = Duration::from_millis(1);

    async fn in_vain(calls: &Calls, route: Route) -> Ended<()> {
        calls.make(route, SHORT, pending(), |()| false).await
    }

    #[tokio::test]
    async fn a_processor_that_never_answers_is_left_alone_and_others_are_not() {
        let calls = Calls::default();
        while calls.are_made(ROUTE) {
            assert_eq!(in_vain(&calls, ROUTE).await, Ended::TimedOut);
        }
        assert_eq!(in_vain(&calls, ROUTE).await, Ended::NotMade);
        assert_eq!(calls.figures().held_back, [(ROUTE, BreakerState::Open)]);
        let other = (SellerId(1), Some(TerminalId(2)));
        let made = calls.make(other, SHORT, ready(7), |_| false).await;
        assert_eq!((made, calls.figures().under_way), (Ended::Answered(7), 0));
    }

    #[tokio::test]
    async fn one_more_caller_than_may_wait_is_turned_away() {
        let calls = Calls::default();
        let gate = calls.gate(ROUTE);
        let _places = gate.places.acquire_many(256).await.expect("places");
        gate.waiting.store(WAITING, Ordering::Relaxed);
        assert!(!calls.are_made(ROUTE));
        assert_eq!(calls.make(ROUTE, SHORT, ready(1), |_| false).await, Ended::NotMade);
        gate.waiting.store(0, Ordering::Relaxed);
        assert_eq!(calls.make(ROUTE, SHORT, ready(1), |_| false).await, Ended::NotMade);
        assert_eq!(gate.waiting.load(Ordering::Relaxed), 0);
    }
}
