//! One logical client: a connection of its own, one call after the other.

mod buying;
mod calls;
mod ingest;
mod link;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{Mutex, watch};

use super::batches::Batches;
use super::latency::{Latencies, Window};
use super::ledger::{Ledger, Mark};
use super::mix::{Dice, Mix, Operation};
use super::place::Place;
use super::requests::Requests;
use super::sales::{Kind, Sales};
use crate::cli::client::Wire;

#[derive(Debug)]
pub(super) struct Target {
    pub(super) id: u64,
    /// The highest version that was acknowledged.
    pub(super) version: AtomicU32,
    /// Held by the one client that may amend, unless contention was asked for.
    pub(super) turn: Mutex<()>,
    /// Events of the counting metric that were acknowledged.
    pub(super) requests: AtomicU64,
}

impl Target {
    pub(super) fn new(id: u64) -> Self {
        let (version, turn) = (AtomicU32::new(1), Mutex::new(()));
        Self { id, version, turn, requests: AtomicU64::new(0) }
    }
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) targets: Vec<Target>,
    pub(super) mix: Mix,
    pub(super) contend: bool,
    pub(super) key: String,
    pub(super) requests: Requests,
    pub(super) batches: Batches,
    pub(super) sales: Sales,
    /// How many times a worker has begun a call that another one makes too.
    pub(super) raced: AtomicU64,
    pub(super) budget: AtomicU64,
    /// No call is due after it.
    pub(super) window: Window,
    /// The time between two calls of one worker, in an open loop.
    pub(super) pace: Option<Duration>,
}

#[derive(Debug)]
pub(super) struct Worker {
    shared: Arc<Shared>,
    /// Where the server listens; `None` while it is down.
    place: watch::Receiver<Option<Place>>,
    wire: Option<Wire>,
    dice: Dice,
    next_mark: Mark,
    /// The last call of usage events that was acknowledged.
    sent: Option<Mark>,
    refundable: Vec<Mark>,
    ledger: Ledger,
    latencies: Latencies,
}

impl Worker {
    /// The worker of this number; marks of different workers never meet.
    pub(super) fn new(
        shared: Arc<Shared>,
        place: watch::Receiver<Option<Place>>,
        number: u64,
    ) -> Self {
        Self {
            shared,
            place,
            wire: None,
            dice: Dice::new(number),
            next_mark: number << 40,
            sent: None,
            refundable: Vec::new(),
            ledger: Ledger::default(),
            latencies: Latencies::new(),
        }
    }

    /// Calls until the time or the budget is over.
    pub(super) async fn run(mut self) -> (Ledger, Latencies) {
        // In an open loop the workers begin spread over one interval.
        let pace = self.shared.pace;
        let offset = pace.map_or(0, |pace| self.dice.below(pace.as_micros().max(1) as u64));
        let mut due = Instant::now() + Duration::from_micros(offset);
        loop {
            match pace {
                // The latency counts from when the call was due: a slow server does not get
                // to slow down the clock it is measured by.
                Some(pace) => {
                    tokio::time::sleep_until(due.into()).await;
                    let begun = due;
                    due += pace;
                    if !self.step(begun).await {
                        break;
                    }
                }
                None => {
                    if !self.step(Instant::now()).await {
                        break;
                    }
                }
            }
        }
        (self.ledger, self.latencies)
    }

    /// One call that counts from `begun`; false when the run is over.
    async fn step(&mut self, begun: Instant) -> bool {
        let shared = Arc::clone(&self.shared);
        let spent = shared
            .budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if begun >= shared.window.end || spent.is_err() || !self.connect().await {
            return false;
        }
        let operation = shared.mix.choose(&mut self.dice);
        let place = self.dice.below(shared.targets.len() as u64) as u32;
        // A mix of payments alone has no contracts.
        let done = match (operation, shared.targets.get(place as usize)) {
            (Operation::Pay, _) => self.buy(Kind::Paid).await.then_some(begun),
            (Operation::Initiate, _) => self.buy(Kind::Waiting).await.then_some(begun),
            (Operation::Refund, _) => self.refund().await.then_some(begun),
            (Operation::Amend, Some(target)) => self.amend(place, target, begun).await,
            (Operation::Subscribe, Some(target)) => {
                self.subscribe(place, target).await.then_some(begun)
            }
            (Operation::Read, Some(target)) => self.read(target).await.then_some(begun),
            (Operation::Invoice, Some(target)) => {
                self.invoice(place, target).await.then_some(begun)
            }
            (Operation::Usage, Some(_)) => self.ingest().await.then_some(begun),
            (Operation::Snapshot, Some(target)) => self.snapshot(target).await.then_some(begun),
            (_, None) => None,
        };
        if let Some(begun) = done {
            self.latencies.take(operation, begun, Instant::now(), &shared.window);
        }
        true
    }

    fn mark(&mut self) -> Mark {
        self.next_mark += 1;
        self.next_mark
    }
}
