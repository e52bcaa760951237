//! The thread that writes quota counts and drops what is idle.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use storage::{Batch, CommitError};

use super::State;
use crate::tables::QUOTA_COUNTS;

const PAUSE: Duration = Duration::from_secs(1);
const ROWS_OF_A_BATCH: usize = 256;
/// Rounds of writing between two sweeps.
const SWEEP_EVERY: u32 = 10;

pub(super) struct Writer {
    signal: Arc<Signal>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Signal {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Writer {
    pub(super) fn start(state: Arc<State>) -> std::io::Result<Self> {
        let signal = Arc::new(Signal::default());
        let shared = signal.clone();
        let thread = std::thread::Builder::new()
            .name("limiter".to_owned())
            .spawn(move || run(&state, &shared))?;
        Ok(Self { signal, thread: Mutex::new(Some(thread)) })
    }

    pub(super) fn stop(&self) {
        *self.signal.stopped.lock() = true;
        self.signal.changed.notify_all();
        if let Some(thread) = self.thread.lock().take() {
            // The panic of a thread is logged already; there is nothing left to write with.
            let _ = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

fn run(state: &State, signal: &Signal) {
    let mut round = 0_u32;
    loop {
        let stopped = {
            let mut stopped = signal.stopped.lock();
            if !*stopped {
                signal.changed.wait_for(&mut stopped, PAUSE);
            }
            *stopped
        };
        write(state);
        if stopped {
            return;
        }
        round = round.wrapping_add(1);
        if round.is_multiple_of(SWEEP_EVERY) {
            state.sweep();
        }
    }
}

/// Writes all counts that changed. While that fails, no quota is answered: a count that cannot
/// be kept would be lost with the process.
fn write(state: &State) {
    loop {
        let changed = state.quotas.take_changed(ROWS_OF_A_BATCH);
        if changed.is_empty() {
            return;
        }
        let mut batch = Batch::new();
        for (key, counter) in &changed {
            batch.put(QUOTA_COUNTS, key, counter);
        }
        let written = state.store.write_blocking(batch);
        state.failing.store(written.is_err(), Ordering::Release);
        if let Err(error) = written {
            if error != CommitError::Closed {
                tracing::error!(%error, counts = changed.len(), "quota counts cannot be written, writes that count against a quota are refused");
            }
            state.quotas.mark_unwritten(changed.into_iter().map(|(key, _)| key));
            return;
        }
    }
}

impl State {
    pub(super) fn sweep(&self) {
        let now = self.clock.now();
        self.sellers.sweep(now);
        self.addresses.sweep(now);
        self.quotas.sweep(now);
    }
}
