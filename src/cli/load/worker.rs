//! One logical client: a connection of its own, one call after the other.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::{Method, StatusCode};
use tokio::sync::{Mutex, watch};

use super::latency::Latencies;
use super::ledger::{Amended, Ledger, Mark};
use super::mix::{Dice, Mix, Operation};
use super::requests::{Requests, number};
use crate::cli::client::{Wire, WireError};

/// A contract under load.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) id: u64,
    /// The highest version that was acknowledged.
    pub(super) version: AtomicU32,
    /// Held by the one client that may amend, unless contention was asked for.
    pub(super) turn: Mutex<()>,
}

/// What all workers share.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) targets: Vec<Target>,
    pub(super) mix: Mix,
    pub(super) contend: bool,
    pub(super) key: String,
    pub(super) requests: Requests,
    /// Calls that may still be made.
    pub(super) budget: AtomicU64,
    /// Latencies count from here on.
    pub(super) measured_from: Instant,
    pub(super) end: Instant,
    /// The time between two calls of one worker, in an open loop.
    pub(super) pace: Option<Duration>,
}

/// A worker on its way.
#[derive(Debug)]
pub(super) struct Worker {
    field: Arc<Field>,
    /// Where the server listens; `None` while it is down.
    address: watch::Receiver<Option<SocketAddr>>,
    wire: Option<Wire>,
    dice: Dice,
    next_mark: Mark,
    ledger: Ledger,
    latencies: Latencies,
}

impl Worker {
    /// The worker of this number; marks of different workers never meet.
    pub(super) fn new(
        field: Arc<Field>,
        address: watch::Receiver<Option<SocketAddr>>,
        number: u64,
    ) -> Self {
        Self {
            field,
            address,
            wire: None,
            dice: Dice::new(number),
            next_mark: number << 40,
            ledger: Ledger::default(),
            latencies: Latencies::new(),
        }
    }

    /// Calls until the time or the budget is over.
    pub(super) async fn run(mut self) -> (Ledger, Latencies) {
        // In an open loop the workers begin spread over one interval.
        let pace = self.field.pace;
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
        let field = Arc::clone(&self.field);
        let spent = field
            .budget
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if begun >= field.end || spent.is_err() || !self.connect().await {
            return false;
        }
        let operation = field.mix.choose(&mut self.dice);
        let place = self.dice.below(field.targets.len() as u64) as u32;
        let target = &field.targets[place as usize];
        let done = match operation {
            Operation::Amend => self.amend(place, target, begun).await,
            Operation::Subscribe => self.subscribe(place, target).await.then_some(begun),
            Operation::Read => self.read(target).await.then_some(begun),
            Operation::Invoice => self.invoice(place, target).await.then_some(begun),
        };
        if let Some(begun) = done.filter(|begun| *begun >= field.measured_from) {
            self.latencies.record(operation, begun.elapsed());
        }
        true
    }

    /// Amends when it is this client's turn; answers from when the call counts if it succeeded.
    async fn amend(&mut self, place: u32, target: &Target, begun: Instant) -> Option<Instant> {
        let field = Arc::clone(&self.field);
        let turn = if field.contend { None } else { Some(target.turn.lock().await) };
        // Waiting for another client's turn is the tester's doing, not the server's.
        let begun = if turn.is_some() && field.pace.is_none() { Instant::now() } else { begun };
        let (base, mark) = (target.version.load(Ordering::Relaxed), self.mark());
        let path = format!("/billing-api/v1/contracts/{}/amendments", target.id);
        let answer = self.post(&path, None, Requests::amendment(base, mark)).await;
        match answer {
            Ok((StatusCode::OK, body)) => {
                let version = number(&body, "version").unwrap_or(0) as u32;
                if version != base + 1 {
                    self.ledger.contradict(|| {
                        format!("contract {}: base {base} became {version}", target.id)
                    });
                }
                target.version.fetch_max(version, Ordering::Relaxed);
                self.ledger.amended.push(Amended { contract: place, version, mark });
                return Some(begun);
            }
            Ok((StatusCode::UNPROCESSABLE_ENTITY, _)) => {
                self.ledger.stale += 1;
                if target.version.load(Ordering::Relaxed) == base {
                    self.learn_version(target).await;
                }
            }
            other => {
                if self.unsure(Operation::Amend, &other) {
                    self.ledger.amends_unsure.push((place, mark));
                    self.learn_version(target).await;
                }
            }
        }
        None
    }

    async fn subscribe(&mut self, place: u32, target: &Target) -> bool {
        let field = Arc::clone(&self.field);
        let mark = self.mark();
        let path = format!("/billing-api/v1/contracts/{}/subscriptions", target.id);
        let body = field.requests.subscription();
        let answer = self.post(&path, Some(&field.requests.key(mark)), body).await;
        if let Some(id) = created(&answer) {
            self.ledger.subscribed.push((place, id));
            return true;
        }
        if self.unsure(Operation::Subscribe, &answer) {
            self.ledger.subscribes_unsure.push((place, mark));
        }
        false
    }

    async fn invoice(&mut self, place: u32, target: &Target) -> bool {
        let field = Arc::clone(&self.field);
        let mark = self.mark();
        let (key, body) = (field.requests.key(mark), Requests::invoice(target.id));
        let answer = self.post("/billing-api/v1/invoices", Some(&key), body).await;
        if let Some(id) = created(&answer) {
            self.ledger.invoiced.push((place, id));
            return true;
        }
        if self.unsure(Operation::Invoice, &answer) {
            self.ledger.invoices_unsure.push((place, mark));
        }
        false
    }

    /// Reads a contract: it must not be older than what was acknowledged before.
    async fn read(&mut self, target: &Target) -> bool {
        let known = target.version.load(Ordering::Relaxed);
        let path = format!("/billing-api/v1/contracts/{}", target.id);
        match self.call(Method::GET, &path, None, Bytes::new()).await {
            Ok((StatusCode::OK, body)) => {
                let version = number(&body, "version").unwrap_or(0);
                if version < u64::from(known) {
                    self.ledger.contradict(|| {
                        format!(
                            "contract {}: version {version} read after {known} was acknowledged",
                            target.id
                        )
                    });
                }
                true
            }
            other => {
                self.unsure(Operation::Read, &other);
                false
            }
        }
    }

    /// After an amendment whose outcome is unknown the next one needs the true base version.
    async fn learn_version(&mut self, target: &Target) {
        let path = format!("/billing-api/v1/contracts/{}", target.id);
        while self.connect().await {
            let answer = self.call(Method::GET, &path, None, Bytes::new()).await;
            if let Ok((StatusCode::OK, body)) = answer {
                let version = number(&body, "version").unwrap_or(0) as u32;
                target.version.fetch_max(version, Ordering::Relaxed);
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Counts an answer that was no success; true when the write may have been made anyhow.
    fn unsure(
        &mut self,
        operation: Operation,
        answer: &Result<(StatusCode, Bytes), WireError>,
    ) -> bool {
        let status = answer.as_ref().map_or(0, |(status, _)| status.as_u16());
        self.ledger.refuse(operation, status);
        status == 0 || status >= 500
    }

    async fn post(
        &mut self,
        path: &str,
        key: Option<&str>,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), WireError> {
        self.call(Method::POST, path, key, body).await
    }

    async fn call(
        &mut self,
        method: Method,
        path: &str,
        key: Option<&str>,
        body: Bytes,
    ) -> Result<(StatusCode, Bytes), WireError> {
        let wire = self.wire.as_mut().ok_or_else(WireError::not_connected)?;
        let answer = wire.call(method, path, key, body).await;
        match &answer {
            Err(_) => self.wire = None,
            Ok((StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE, _)) => {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Ok(_) => {}
        }
        answer
    }

    /// Sees to an open connection; false when the time is over before there is one.
    async fn connect(&mut self) -> bool {
        while self.wire.as_ref().is_none_or(Wire::is_closed) {
            if Instant::now() >= self.field.end {
                return false;
            }
            let address = *self.address.borrow_and_update();
            match address {
                Some(address) => match Wire::open(address, &self.field.key).await {
                    Ok(wire) => self.wire = Some(wire),
                    Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                },
                None => {
                    let end = tokio::time::Instant::from_std(self.field.end);
                    let changed = tokio::time::timeout_at(end, self.address.changed());
                    if !matches!(changed.await, Ok(Ok(()))) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn mark(&mut self) -> Mark {
        self.next_mark += 1;
        self.next_mark
    }
}

/// The id in the answer to a create, first time or replayed.
fn created(answer: &Result<(StatusCode, Bytes), WireError>) -> Option<u64> {
    match answer {
        Ok((StatusCode::CREATED | StatusCode::OK, body)) => number(body, "id"),
        _ => None,
    }
}
