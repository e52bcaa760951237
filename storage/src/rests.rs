//! The rests of long work beside others who write.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::shared::Shared;

/// While others write, long work rests so many times as long as it has worked.
const REST: u32 = 20;
const LONGEST_REST: Duration = Duration::from_secs(1);
/// How long readers work on end.
const STRETCH: Duration = Duration::from_millis(5);

/// Keeps who goes over all rows from taking the disk and the processors from others.
pub(crate) struct Rests {
    shared: Arc<Shared>,
    /// The last group that was seen, to tell whether others write.
    seen: u64,
}

/// The rests of who reads row by row.
pub(crate) struct Pace(Mutex<(Rests, Instant)>);

impl Rests {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        let seen = shared.with_engine(|engine| engine.published()).unwrap_or(0);
        Self { shared: Arc::clone(shared), seen }
    }

    /// Rests after work that took so long, as long as others write, so that they hardly notice.
    pub(crate) fn rest(&mut self, spent: Duration) {
        let Ok(published) = self.shared.with_engine(|engine| engine.published()) else { return };
        if published != self.seen {
            self.seen = published;
            thread::sleep((spent * REST).min(LONGEST_REST));
        }
    }
}

impl Pace {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        Self(Mutex::new((Rests::new(shared), Instant::now())))
    }

    /// Rests if it is time to. Called before each read.
    pub(crate) fn keep(&self) {
        let (rests, since) = &mut *self.0.lock();
        let spent = since.elapsed();
        if spent >= STRETCH {
            rests.rest(spent);
            *since = Instant::now();
        }
    }
}
