//! The one writer: takes what is queued, makes it durable together, answers in order.
//!
//! While a group is on its way to the disk the next one gathers, so groups are as large as the
//! load is high. A crowd of writers is waited for a little, a lone one never. Where many jobs
//! gather and there are processors enough, a second thread resolves them meanwhile, with the rows
//! and claims of the group on its way laid under them: should that one fail, so does the one that
//! rests on it.

mod company;
mod gathering;
mod group;
mod queue;

use std::cell::Cell;
use std::thread::{self, JoinHandle};

pub use company::Writer;
pub(crate) use company::Writers;
pub(crate) use group::rows_of_numbers;
pub(crate) use queue::{Answer, Job, Queue};

use crate::batch::Receipt;
use crate::engine::Spent;
use crate::engine::apply::{Apply, apply_for_sure};
use crate::engine::journaled::Journaled;
use crate::error::CommitError;
use crate::fatal::guarded;
use crate::index::GroupClaims;
use crate::journal::payload_of;
use crate::lock::Mutex;
use crate::shared::Shared;
use gathering::{Gathered, Gathering, Resolved};
use group::Changes;

thread_local! {
    /// The store that this thread commits for.
    static COMMITS_FOR: Cell<Option<*const Shared>> = const { Cell::new(None) };
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) jobs: usize,
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

/// Whether this is a committer's thread, which must not wait for a commit.
pub(crate) fn on_committer() -> bool {
    COMMITS_FOR.get().is_some()
}

/// Whether this thread commits for this very store.
pub(crate) fn commits_for(shared: &Shared) -> bool {
    COMMITS_FOR.get().is_some_and(|store| std::ptr::eq(store, shared))
}

/// Commits until the queue is closed and empty, then waits for `upkeep`, which needs the folder
/// as well, and lets go of it.
pub(crate) fn run(shared: &Shared, limits: Limits, ahead: bool, upkeep: JoinHandle<()>) {
    // Nobody but this thread lets go of the engine.
    let _ = shared.with_engine(|engine| {
        let durable = shared.faults.around(engine);
        let next = Mutex::new(Gathering::new(shared, engine, limits));
        let committer = Committer { shared, engine, durable: &durable, next };
        thread::scope(|scope| {
            if ahead {
                committer.start_ahead(scope);
            }
            committer.run();
        });
    });
    shared.indexes.stop();
    if upkeep.join().is_err() {
        tracing::error!("the upkeep of the runs has panicked");
    }
    shared.let_go();
}

struct Committer<'s> {
    shared: &'s Shared,
    engine: &'s Journaled,
    durable: &'s dyn Apply,
    /// Who holds it resolves: jobs are taken under it alone, and so stay in their order.
    next: Mutex<Gathering<'s>>,
}

impl Committer<'_> {
    fn start_ahead<'c>(&'c self, scope: &'c thread::Scope<'c, '_>) {
        let ahead = thread::Builder::new().name("store-resolve".to_owned());
        if let Err(error) = ahead.spawn_scoped(scope, || self.resolve_ahead()) {
            tracing::warn!(%error, "one thread alone commits: no second one could be started");
        }
    }

    fn run(&self) {
        COMMITS_FOR.set(Some(self.shared));
        while guarded(|| self.commit_next()).unwrap_or_else(|panicked| {
            self.stop_after(&panicked);
            true
        }) {}
    }

    /// Resolves what gathers while a group is on its way to the disk, until the queue is closed.
    fn resolve_ahead(&self) {
        COMMITS_FOR.set(Some(self.shared));
        let ahead = || {
            while self.shared.queue.wait_for_many() {
                self.next.lock().fill_ahead();
            }
        };
        guarded(ahead).unwrap_or_else(|panicked| self.stop_after(&panicked));
    }

    /// What a panic leaves half done nobody can know, as after a write that failed.
    fn stop_after(&self, panicked: &str) {
        self.shared.fuse.blow(&format!("the committer panicked: {panicked}"));
    }

    /// Commits what has gathered; false once the queue is closed and empty.
    fn commit_next(&self) -> bool {
        let mut next = self.next.lock();
        if !next.fill() {
            return false;
        }
        let Gathered { changes: Changes { rows, new }, claims, mut resolved } = next.close();
        let (records, payload) = (rows.len(), payload_of(&rows));
        if records > 0 {
            self.engine.lay(rows, new);
        }
        drop(next);
        self.shared.queue.go_ahead();
        let written = self.make_durable(records, &payload, claims);
        if let Err(reason) = &written {
            fail_all(&mut resolved, &CommitError::Failed(reason.clone()));
        }
        answer(self.shared, resolved);
        // Nobody waits for what follows.
        if let Ok(Some(spent)) = written
            && let Err(error) = self.engine.note_written(spent)
        {
            self.shared.fuse.blow(&error.to_string());
        }
        self.shared.counters.group_answered();
        true
    }

    /// Writes the group, if it has rows. An error says that the store has stopped.
    fn make_durable(
        &self,
        records: usize,
        payload: &[u8],
        claims: GroupClaims<'_>,
    ) -> Result<Option<Spent>, String> {
        // The group before may have failed when this one was resolved.
        if let Some(reason) = self.shared.fuse.blown() {
            return Err(reason.to_owned());
        }
        if records == 0 {
            return Ok(None);
        }
        let (group, fuse) = (self.engine.published() + 1, &self.shared.fuse);
        let applied = apply_for_sure(self.durable, self.engine.fence(), group, payload, fuse);
        let spent = applied.map_err(|error| error.to_string());
        let spent = spent.inspect_err(|reason| fuse.blow(reason))?;
        // Who sees the rows of a group finds what they have claimed.
        claims.publish();
        self.engine.publish(group);
        self.shared.counters.group_written(records, spent);
        Ok(Some(spent))
    }
}

/// The group is lost, and with it what its refusals were based on.
fn fail_all(resolved: &mut [Resolved], error: &CommitError) {
    for job in resolved {
        if let Some(lane) = &job.lane {
            lane.break_now();
        }
        job.result = Err(error.clone());
    }
}

fn answer(shared: &Shared, resolved: Vec<Resolved>) {
    for Resolved { answer, result, .. } in resolved {
        shared.counters.answered(result.is_ok());
        // Whoever waits for one answer must not take the others with it.
        if let Err(panicked) = guarded(|| answer(result)) {
            tracing::error!(panicked, "the receiver of a commit's answer panicked");
        }
    }
}
