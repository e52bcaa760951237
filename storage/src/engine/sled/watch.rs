//! Wakes a flush that sled has forgotten.
//!
//! A thread of sled that cannot write what others have filled notes the error, and in one place
//! wakes nobody: who waits for a flush then waits for ever. The next flush that begins finds the
//! error and wakes all that wait. So one is begun beside each that takes long, and where the disk
//! is only slow, ever more rarely.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::handle::Handle;
use crate::fatal::guarded;
use parking_lot::{Condvar, Mutex};

/// How long a flush takes before it is looked after; then twice as long each time.
const LONG: Duration = Duration::from_millis(500);

#[derive(Default)]
struct Watched {
    /// When the flush that is under way was begun.
    begun: Option<Instant>,
    /// How often it was looked after.
    looked: u32,
    ended: bool,
}

type State = Arc<(Mutex<Watched>, Condvar)>;

pub(super) struct Watch {
    state: State,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    pub(super) fn begin(db: &Handle) -> std::io::Result<Self> {
        let state = State::default();
        let (watched, db) = (state.clone(), db.another());
        let thread = thread::Builder::new()
            .name("engine-watch".to_owned())
            .spawn(move || watch(&watched, &db))?;
        Ok(Self { state, thread: Some(thread) })
    }

    /// Runs a flush under watch.
    pub(super) fn over<T>(&self, flush: impl FnOnce() -> T) -> T {
        let set = |begun| {
            let mut watched = self.state.0.lock();
            (watched.begun, watched.looked) = (begun, 0);
        };
        set(Some(Instant::now()));
        let flushed = flush();
        set(None);
        flushed
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.state.0.lock().ended = true;
        self.state.1.notify_all();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the watch over the engine has panicked");
        }
    }
}

fn watch(state: &State, db: &Handle) {
    let mut watched = state.0.lock();
    while !watched.ended {
        state.1.wait_for(&mut watched, LONG);
        let due = LONG * 2_u32.saturating_pow(watched.looked);
        if watched.begun.is_none_or(|begun| begun.elapsed() < due) {
            continue;
        }
        watched.looked += 1;
        let db = db.another();
        // It may wait as long as the other one does, and tells nothing that that one does not.
        let looking = thread::Builder::new().name("engine-look".to_owned());
        let looking = looking.spawn(move || drop(guarded(|| db.flush())));
        if let Err(error) = looking {
            tracing::warn!(%error, "nobody can look after a flush that takes long");
        }
    }
}
