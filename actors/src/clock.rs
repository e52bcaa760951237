//! The only place that reads the time. Everything else is handed a [`Clock`] or an instant.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::domain::time::Timestamp;

/// The wall clock, or one that a test moves by hand.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// The instant in microseconds at which a clock held by hand stands.
    hand: Option<Arc<AtomicI64>>,
}

impl Clock {
    pub fn wall() -> Self {
        Self { hand: None }
    }

    /// A clock that stands at `start` until it is moved.
    pub fn by_hand(start: Timestamp) -> Self {
        Self { hand: Some(Arc::new(AtomicI64::new(start.micros()))) }
    }

    pub fn now(&self) -> Timestamp {
        match &self.hand {
            Some(hand) => Timestamp::from_micros(hand.load(Ordering::SeqCst)),
            None => wall_now(),
        }
    }

    /// Pushes a clock held by hand to `to`; the wall clock cannot be pushed and stays.
    pub fn push(&self, to: Timestamp) {
        if let Some(hand) = &self.hand {
            hand.fetch_max(to.micros(), Ordering::SeqCst);
        }
    }

    /// Sets a clock held by hand to `to`, be it earlier, as somebody may set the wall clock.
    pub fn set(&self, to: Timestamp) {
        if let Some(hand) = &self.hand {
            hand.store(to.micros(), Ordering::SeqCst);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
fn wall_now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_micros(i64::try_from(since.as_micros()).unwrap_or(i64::MAX))
}
