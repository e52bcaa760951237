//! The calls, and what each leaves in the ledger.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::{Method, StatusCode};

use super::{Target, Worker};
use crate::cli::client::WireError;
use crate::cli::load::ledger::{Amended, Ledger};
use crate::cli::load::mix::Operation;
use crate::cli::load::requests::{Requests, number};

impl Worker {
    /// Amends when it is this client's turn; answers from when the call counts if it succeeded.
    pub(super) async fn amend(
        &mut self,
        place: u32,
        target: &Target,
        begun: Instant,
    ) -> Option<Instant> {
        let shared = Arc::clone(&self.shared);
        let turn = if shared.contend { None } else { Some(target.turn.lock().await) };
        // Waiting for another client's turn is the tester's doing, not the server's.
        let begun = if turn.is_some() && shared.pace.is_none() { Instant::now() } else { begun };
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

    pub(super) async fn subscribe(&mut self, place: u32, target: &Target) -> bool {
        let path = format!("/billing-api/v1/contracts/{}/subscriptions", target.id);
        let body = self.shared.requests.subscription();
        self.create(Operation::Subscribe, place, &path, body).await
    }

    pub(super) async fn invoice(&mut self, place: u32, target: &Target) -> bool {
        let body = Requests::invoice(target.id);
        self.create(Operation::Invoice, place, "/billing-api/v1/invoices", body).await
    }

    async fn create(&mut self, what: Operation, place: u32, path: &str, body: Bytes) -> bool {
        let mark = self.mark();
        let key = self.shared.requests.key(mark);
        let answer = self.post(path, Some(&key), body).await;
        let id = created(&answer);
        let unsure = id.is_none() && self.unsure(what, &answer);
        let Ledger { subscribed, subscribes_unsure, invoiced, invoices_unsure, .. } =
            &mut self.ledger;
        let (made, unsure_ones) = match what {
            Operation::Invoice => (invoiced, invoices_unsure),
            _ => (subscribed, subscribes_unsure),
        };
        made.extend(id.map(|id| (place, id)));
        unsure_ones.extend(unsure.then_some((place, mark)));
        id.is_some()
    }

    /// Reads a contract: it must not be older than what was acknowledged before.
    pub(super) async fn read(&mut self, target: &Target) -> bool {
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
    pub(super) fn unsure(
        &mut self,
        operation: Operation,
        answer: &Result<(StatusCode, Bytes), WireError>,
    ) -> bool {
        let status = answer.as_ref().map_or(0, |(status, _)| status.as_u16());
        self.ledger.refuse(operation, status);
        status == 0 || status >= 500
    }
}

/// The id in the answer to a create, first time or replayed.
fn created(answer: &Result<(StatusCode, Bytes), WireError>) -> Option<u64> {
    match answer {
        Ok((StatusCode::CREATED | StatusCode::OK, body)) => number(body, "id"),
        _ => None,
    }
}
