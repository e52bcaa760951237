//! Calls that bring usage events, and those that read the counters.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use bytes::Bytes;
use hyper::{Method, StatusCode};
use serde_json::Value;

use super::{Target, Worker};
use crate::cli::load::batches::Metric;
use crate::cli::load::mix::Operation;
use crate::cli::load::requests::number;
use crate::cli::load::tally::shown;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Taken {
    ingested: u64,
    duplicates: u64,
}

impl Worker {
    /// Sends a call of new events; now and then one that was sent before, one that another
    /// worker sends at the same moment, or one that contradicts what was sent before. Gives
    /// whether the call was answered as it must be.
    pub(super) async fn ingest(&mut self) -> bool {
        let chance = self.dice.below(100);
        match (chance, self.sent) {
            (0..=2, Some(sent)) => self.replay(sent).await,
            (3, Some(sent)) => self.contradict(sent).await,
            (4..=6, _) => self.race().await,
            _ => self.bring().await,
        }
    }

    async fn bring(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        let number = self.mark();
        let Some(taken) = self.send(number).await else { return false };
        let fresh = u64::from(shared.batches.fresh(number));
        let repeated = u64::from(shared.batches.size) - fresh;
        if taken != (Taken { ingested: fresh, duplicates: repeated }) {
            self.ledger.contradict(|| format!("new events of call {number} answered {taken:?}"));
            self.ledger.usage.unsure.insert(number);
            return false;
        }
        self.ledger.usage.take(&shared.batches, number);
        if shared.window.holds(Instant::now()) {
            self.ledger.usage.measured += fresh;
        }
        for event in shared.batches.fresh_events(number) {
            if event.metric == Metric::Requests {
                shared.targets[event.place as usize].requests.fetch_add(1, Ordering::Relaxed);
            }
        }
        self.sent = Some(number);
        true
    }

    async fn replay(&mut self, sent: u64) -> bool {
        let duplicates = u64::from(self.shared.batches.size);
        let Some(taken) = self.send(sent).await else {
            // It was acknowledged the first time, and is counted already.
            self.ledger.usage.unsure.remove(&sent);
            return false;
        };
        let good = taken == Taken { ingested: 0, duplicates };
        if !good {
            self.ledger.contradict(|| format!("call {sent}, made again, answered {taken:?}"));
        }
        good
    }

    /// Two workers take each number of a counter, one soon after the other.
    async fn race(&mut self) -> bool {
        let shared = Arc::clone(&self.shared);
        let number = shared.raced.fetch_add(1, Ordering::Relaxed) / 2;
        let taken = self.send(number).await;
        // A call without an answer is among the unsure ones already.
        let raced = self.ledger.usage.raced.entry(number).or_default();
        match taken {
            Some(taken) => raced.ingested += taken.ingested,
            None => raced.unsure = true,
        }
        let all = taken.is_none_or(|taken| {
            taken.ingested + taken.duplicates == u64::from(shared.batches.size)
        });
        if !all {
            self.ledger.contradict(|| format!("raced call {number} answered {taken:?}"));
        }
        taken.is_some() && all
    }

    async fn contradict(&mut self, sent: u64) -> bool {
        let body = self.shared.batches.contradiction(sent);
        let answer = self.post("/billing-api/v1/usage/events", None, body).await;
        match answer {
            Ok((StatusCode::CONFLICT, _)) => self.ledger.usage.conflicts += 1,
            Ok((status, _)) if status.is_success() => self
                .ledger
                .contradict(|| format!("a key of call {sent} with another quantity: {status}")),
            other => {
                self.unsure(Operation::Usage, &other);
            }
        }
        // It measures a refusal, not an ingestion.
        false
    }

    /// Sends a call; `None`, and noted, when its events may or may not be there.
    async fn send(&mut self, number: u64) -> Option<Taken> {
        let shared = Arc::clone(&self.shared);
        let one = shared.batches.size == 1;
        let answer = self.post(shared.batches.path(), None, shared.batches.body(number)).await;
        let taken = match &answer {
            Ok((StatusCode::CREATED, _)) if one => Some(Taken { ingested: 1, duplicates: 0 }),
            Ok((StatusCode::OK, _)) if one => Some(Taken { ingested: 0, duplicates: 1 }),
            Ok((StatusCode::OK, body)) => self.counted(number, body),
            _ => None,
        };
        match taken {
            Some(taken) => {
                self.ledger.usage.ingested += taken.ingested;
                self.ledger.usage.duplicates += taken.duplicates;
            }
            None => {
                self.unsure(Operation::Usage, &answer);
                self.ledger.usage.unsure.insert(number);
            }
        }
        taken
    }

    /// The counts of a batch's answer, if nothing was rejected.
    fn counted(&mut self, sent: u64, body: &Bytes) -> Option<Taken> {
        let (ingested, duplicates) = (number(body, "ingested")?, number(body, "duplicates")?);
        let rejected = number(body, "rejected")?;
        if rejected > 0 {
            let answer: Value = serde_json::from_slice(body).unwrap_or_default();
            let items = answer["items"].as_array().into_iter().flatten();
            let reason = items.filter_map(|item| item["reason"].as_str()).next();
            let reason = reason.unwrap_or("no reason").to_owned();
            self.ledger
                .contradict(|| format!("{rejected} events of call {sent} rejected: {reason}"));
            return None;
        }
        Some(Taken { ingested, duplicates })
    }

    /// Reads a contract's counters: they must hold what was acknowledged before.
    pub(super) async fn snapshot(&mut self, target: &Target) -> bool {
        let known = target.requests.load(Ordering::Relaxed);
        let path = format!("/billing-api/v1/contracts/{}/usage", target.id);
        match self.call(Method::GET, &path, None, Bytes::new()).await {
            Ok((StatusCode::OK, body)) => {
                let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
                let shown = shown(&answer, Metric::Requests).map(|row| &row["used"]);
                let found = shown.and_then(|used| used.as_str()?.parse().ok()).unwrap_or(0_u64);
                if found < known {
                    self.ledger.contradict(|| {
                        format!(
                            "contract {}: {found} requests read after {known} were acknowledged",
                            target.id
                        )
                    });
                }
                true
            }
            other => {
                self.unsure(Operation::Snapshot, &other);
                false
            }
        }
    }
}
