//! A processor that keeps books: under one key it acts once, whatever its mood.

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

/// How the bank treats those who ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    /// It acts and answers.
    Kind,
    /// It acts, and its answer is lost.
    Mumbling,
    /// The question is lost on the way to it.
    Deaf,
    /// It lets those who ask wait until its mood changes.
    Slow,
    /// The question never arrives and no answer ever comes.
    Gone,
    /// It acts, and no answer ever comes.
    Silent,
    /// It acts, and panics.
    Mad,
    /// It refuses.
    Stern(FailureCode),
}

/// What the bank knows. Clones are the same bank.
#[derive(Clone, Debug)]
pub(super) struct Bank(Arc<Books>);

#[derive(Debug)]
struct Books {
    mood: Mutex<Mood>,
    changed: Notify,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// What was answered under each key.
    answers: BTreeMap<String, ProviderOutcome>,
    asked: usize,
    taken: i64,
    returned: i64,
}

impl Bank {
    pub(super) fn new(mood: Mood) -> Self {
        let books = Books {
            mood: Mutex::new(mood),
            changed: Notify::new(),
            kept: Mutex::new(Kept::default()),
        };
        Self(Arc::new(books))
    }

    pub(super) fn turn(&self, mood: Mood) {
        *self.0.mood.lock() = mood;
        self.0.changed.notify_waiters();
    }

    /// How often anything was asked.
    pub(super) fn asked(&self) -> usize {
        self.0.kept.lock().asked
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
        while self.asked() < asked {
            tokio::task::yield_now().await;
        }
    }

    fn act(
        &self,
        key: String,
        deed: impl FnOnce(&mut Kept) -> ProviderOutcome + Send + 'static,
    ) -> BoxFuture<'static, ProviderOutcome> {
        let books = Arc::clone(&self.0);
        Box::pin(async move {
            // The mood counts in which it was when it was asked.
            let mut mood = *books.mood.lock();
            books.kept.lock().asked += 1;
            while mood == Mood::Slow {
                let changed = books.changed.notified();
                mood = *books.mood.lock();
                if mood == Mood::Slow {
                    changed.await;
                }
            }
            let doubt = FailureCode::ProviderError;
            match mood {
                Mood::Gone => return pending().await,
                Mood::Deaf => return ProviderOutcome::Unknown { doubt },
                Mood::Stern(code) => return ProviderOutcome::Failed { code, token: None },
                Mood::Kind | Mood::Slow | Mood::Mumbling | Mood::Silent | Mood::Mad => (),
            }
            let answer = {
                let mut kept = books.kept.lock();
                let known = kept.answers.get(&key).cloned();
                known.unwrap_or_else(|| {
                    let answer = deed(&mut kept);
                    kept.answers.insert(key, answer.clone());
                    answer
                })
            };
            match mood {
                Mood::Mumbling => ProviderOutcome::Unknown { doubt },
                Mood::Silent => pending().await,
                Mood::Mad => panic!("asked to"),
                _ => answer,
            }
        })
    }
}

fn token(key: &str) -> String {
    format!("bank-{key}")
}

impl Processor for Bank {
    fn create(&self, ask: Create) -> BoxFuture<'_, ProviderOutcome> {
        self.act(ask.key.clone(), move |kept| {
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
        self.act(ask.key, move |kept| {
            kept.taken += ask.amount.minor;
            ProviderOutcome::Completed { token: ask.token }
        })
    }

    fn capture(&self, ask: Capture) -> BoxFuture<'_, ProviderOutcome> {
        self.act(ask.key, move |kept| {
            kept.taken += ask.amount.minor;
            ProviderOutcome::Captured
        })
    }

    fn cancel(&self, ask: Cancel) -> BoxFuture<'_, ProviderOutcome> {
        self.act(ask.key, |_| ProviderOutcome::Cancelled)
    }

    fn refund(&self, ask: Refund) -> BoxFuture<'_, ProviderOutcome> {
        self.act(ask.key.clone(), move |kept| {
            kept.returned += ask.amount.minor;
            ProviderOutcome::Refunded { token: token(&ask.key) }
        })
    }

    fn look_up(&self, ask: LookUp) -> BoxFuture<'_, ProviderOutcome> {
        Box::pin(async move {
            let mood = *self.0.mood.lock();
            let mut kept = self.0.kept.lock();
            kept.asked += 1;
            match mood {
                Mood::Kind | Mood::Stern(_) => {
                    kept.answers.get(&ask.key).cloned().unwrap_or(ProviderOutcome::Absent)
                }
                _ => ProviderOutcome::Unknown { doubt: FailureCode::ProviderTimeout },
            }
        })
    }
}
