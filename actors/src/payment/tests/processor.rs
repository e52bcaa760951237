//! A processor that keeps books: under one key it acts once, however it behaves.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::connector::{Cancel, Capture, Challenge, Charge, Confirm, Create, LookUp};
use crate::connector::{Processor, Refund};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::{Ask, CaptureMode, ProviderOutcome};
use crate::domain::time::Timestamp;
use crate::testing::until;

/// How it treats those who ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Behavior {
    /// It acts and answers.
    Answers,
    /// It acts, and its answer is lost.
    LosesAnswers,
    /// The question is lost on the way to it.
    LosesRequests,
    /// It lets those who ask wait until its behavior changes.
    Waits,
    /// The question never arrives and no answer ever comes.
    HangsBefore,
    /// It acts, and no answer ever comes.
    HangsAfter,
    /// It acts, and panics.
    Panics,
    /// It refuses.
    Refuses(FailureCode),
}

/// What the processor knows. Clones are the same processor.
#[derive(Clone, Debug)]
pub(super) struct TestProcessor(Arc<Books>);

#[derive(Debug)]
struct Books {
    behavior: Mutex<Behavior>,
    changed: Notify,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// What was answered under each key.
    answers: BTreeMap<String, ProviderOutcome>,
    asked: usize,
    /// What the last look-up said of when its question was asked.
    asked_long_ago: Option<Timestamp>,
    taken: i64,
    returned: i64,
}

impl TestProcessor {
    pub(super) fn new(behavior: Behavior) -> Self {
        let books = Books {
            behavior: Mutex::new(behavior),
            changed: Notify::new(),
            kept: Mutex::new(Kept::default()),
        };
        Self(Arc::new(books))
    }

    pub(super) fn turn(&self, behavior: Behavior) {
        *self.0.behavior.lock() = behavior;
        self.0.changed.notify_waiters();
    }

    /// How often anything was asked.
    pub(super) fn asked(&self) -> usize {
        self.0.kept.lock().asked
    }

    /// When the question was asked that was looked up last, if its key may be forgotten.
    pub(super) fn asked_long_ago(&self) -> Option<Timestamp> {
        self.0.kept.lock().asked_long_ago
    }

    /// What was taken, in minor units.
    pub(super) fn taken(&self) -> i64 {
        self.0.kept.lock().taken
    }

    /// What was given back, in minor units.
    pub(super) fn returned(&self) -> i64 {
        self.0.kept.lock().returned
    }

    /// Waits until `asked` questions have been asked in all.
    pub(super) async fn until_asked(&self, asked: usize) {
        until("as many questions", || self.asked() >= asked).await;
    }

    fn answer(
        &self,
        key: String,
        act: impl FnOnce(&mut Kept) -> ProviderOutcome + Send + 'static,
    ) -> BoxFuture<'static, ProviderOutcome> {
        let books = Arc::clone(&self.0);
        Box::pin(async move {
            // What counts is how it behaved when it was asked.
            let mut behavior = *books.behavior.lock();
            books.kept.lock().asked += 1;
            while behavior == Behavior::Waits {
                let changed = books.changed.notified();
                behavior = *books.behavior.lock();
                if behavior == Behavior::Waits {
                    changed.await;
                }
            }
            let doubt = FailureCode::ProviderError;
            match behavior {
                Behavior::HangsBefore => return pending().await,
                Behavior::LosesRequests => return ProviderOutcome::Unknown { doubt },
                Behavior::Refuses(code) => return ProviderOutcome::Failed { code, token: None },
                Behavior::Answers
                | Behavior::Waits
                | Behavior::LosesAnswers
                | Behavior::HangsAfter
                | Behavior::Panics => (),
            }
            let answer = {
                let mut kept = books.kept.lock();
                let known = kept.answers.get(&key).cloned();
                known.unwrap_or_else(|| {
                    let answer = act(&mut kept);
                    kept.answers.insert(key, answer.clone());
                    answer
                })
            };
            match behavior {
                Behavior::LosesAnswers => ProviderOutcome::Unknown { doubt },
                Behavior::HangsAfter => pending().await,
                Behavior::Panics => panic!("asked to"),
                _ => answer,
            }
        })
    }
}

fn token(key: &str) -> String {
    format!("processor-{key}")
}

impl Processor for TestProcessor {
    fn create(&self, ask: Create) -> BoxFuture<'_, ProviderOutcome> {
        self.answer(ask.key.clone(), move |kept| {
            let token = token(&ask.key);
            if ask.challenge == Challenge::Force {
                return ProviderOutcome::Challenged { token, asks: Ask::Challenge, url: None };
            }
            if ask.capture == CaptureMode::Manual {
                return ProviderOutcome::Authorized { token };
            }
            kept.taken += ask.amount.minor;
            ProviderOutcome::Completed { token }
        })
    }

    fn charge(&self, _: Charge) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(async { ProviderOutcome::Absent })
    }

    fn confirm(&self, ask: Confirm) -> BoxFuture<'_, ProviderOutcome> {
        self.answer(ask.key, move |kept| {
            kept.taken += ask.amount.minor;
            ProviderOutcome::Completed { token: ask.token }
        })
    }

    fn capture(&self, ask: Capture) -> BoxFuture<'_, ProviderOutcome> {
        self.answer(ask.key, move |kept| {
            kept.taken += ask.amount.minor;
            ProviderOutcome::Captured
        })
    }

    fn cancel(&self, ask: Cancel) -> BoxFuture<'_, ProviderOutcome> {
        self.answer(ask.key, |_| ProviderOutcome::Cancelled)
    }

    fn refund(&self, ask: Refund) -> BoxFuture<'_, ProviderOutcome> {
        self.answer(ask.key.clone(), move |kept| {
            kept.returned += ask.amount.minor;
            ProviderOutcome::Refunded { token: token(&ask.key) }
        })
    }

    fn look_up(&self, ask: LookUp) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(async move {
            let behavior = *self.0.behavior.lock();
            let mut kept = self.0.kept.lock();
            kept.asked += 1;
            kept.asked_long_ago = ask.asked_long_ago;
            match behavior {
                Behavior::Answers | Behavior::Refuses(_) => {
                    kept.answers.get(&ask.key).cloned().unwrap_or(ProviderOutcome::Absent)
                }
                _ => ProviderOutcome::Unknown { doubt: FailureCode::ProviderTimeout },
            }
        })
    }
}
