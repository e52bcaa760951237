//! The worker that writes quota counts and drops what is idle.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use storage::{Batch, CommitError};

use super::State;
use super::quotas::QuotaKey;
use crate::domain::platform::limits::RollingCounter;
use crate::queue::Pulse;
use crate::tables::QUOTA_COUNTS;

/// How long the worker may be silent.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);

const PAUSE: Duration = Duration::from_secs(1);
const ROWS_OF_A_BATCH: usize = 256;
/// Rounds of writing between two sweeps.
const SWEEP_EVERY: u32 = 10;

pub(super) async fn run(state: Arc<State>, pulse: Pulse) {
    let mut round = 0_u32;
    loop {
        pulse.beat();
        tokio::time::sleep(PAUSE).await;
        while state.write_some().await {
            pulse.beat();
        }
        round = round.wrapping_add(1);
        if round.is_multiple_of(SWEEP_EVERY) {
            state.sweep();
        }
    }
}

/// Counts on their way to the disk. Those that do not get there are written again, and until then
/// no quota is answered: a count that cannot be kept would be lost with the process.
struct Taken<'a> {
    state: &'a State,
    counts: Vec<(QuotaKey, RollingCounter)>,
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.state.failing.store(!self.counts.is_empty(), Ordering::Release);
        self.state.quotas.mark_unwritten(self.counts.drain(..).map(|(key, _)| key));
    }
}

impl State {
    /// Writes some of the counts that changed; whether there may be more.
    pub(super) async fn write_some(&self) -> bool {
        let counts = self.quotas.take_changed(ROWS_OF_A_BATCH);
        if counts.is_empty() {
            return false;
        }
        let mut taken = Taken { state: self, counts };
        let mut batch = Batch::new();
        for (key, counter) in &taken.counts {
            batch.put(QUOTA_COUNTS, key, counter);
        }
        match self.store.write(batch).await {
            Ok(_) => taken.counts.clear(),
            Err(CommitError::Closed) => return false,
            Err(error) => {
                tracing::error!(%error, counts = taken.counts.len(), "quota counts cannot be written, writes that count against a quota are refused");
                return false;
            }
        }
        true
    }

    pub(super) fn sweep(&self) {
        let now = self.clock.now();
        self.sellers.sweep(now);
        self.pages.sweep(now);
        self.mints.sweep(now);
        self.wrong_tokens.sweep(now);
        self.logins.sweep(now);
        self.quotas.sweep(now);
    }
}
