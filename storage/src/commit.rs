//! The one writer: takes what is queued, makes it durable together, answers in order.
//!
//! There is no timer. While a group is on its way to the disk the next one gathers, so groups
//! are as large as the load is high, and a lone writer never waits for company.

mod group;
mod queue;

use std::cell::Cell;
use std::thread::JoinHandle;

pub(crate) use group::rows_of_numbers;
pub(crate) use queue::{Answer, Job, Queue};

use crate::batch::Receipt;
use crate::engine::journaled::Journaled;
use crate::error::CommitError;
use crate::fatal::guarded;
use crate::lane::Lane;
use crate::shared::Shared;
use group::Group;

thread_local! {
    static IS_COMMITTER: Cell<bool> = const { Cell::new(false) };
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) jobs: usize,
    pub(crate) rows: usize,
    pub(crate) bytes: usize,
}

/// Whether this is a committer's thread, which must not wait for a commit.
pub(crate) fn on_committer() -> bool {
    IS_COMMITTER.get()
}

/// Commits until the queue is closed and empty, then waits for `upkeep`, which needs the folder
/// as well, and lets go of it.
pub(crate) fn run(shared: &Shared, limits: Limits, upkeep: JoinHandle<()>) {
    IS_COMMITTER.set(true);
    // What a panic leaves half done nobody can know, as after a write that failed.
    while guarded(|| commit_next(shared, limits)).unwrap_or_else(|panicked| {
        shared.fuse.blow(&format!("the committer panicked: {panicked}"));
        true
    }) {}
    shared.indexes.stop();
    if upkeep.join().is_err() {
        tracing::error!("the upkeep of the runs has panicked");
    }
    shared.let_go();
}

/// Commits what has gathered; false once the queue is closed and empty.
fn commit_next(shared: &Shared, limits: Limits) -> bool {
    let Some(jobs) = shared.queue.take(limits, || shared.indexes.is_crowded()) else {
        return false;
    };
    commit(shared, jobs);
    shared.counters.group_answered();
    true
}

struct Resolved {
    answer: Answer,
    lane: Option<Lane>,
    result: Result<Receipt, CommitError>,
}

fn commit(shared: &Shared, jobs: Vec<Job>) {
    let mut resolved = Vec::with_capacity(jobs.len());
    let failure = shared.with_engine(|engine| {
        let mut group = Group::new(engine, &shared.indexes);
        for job in jobs {
            resolved.push(resolve(shared, &mut group, job));
        }
        make_durable(shared, engine, group)
    });
    match failure {
        Ok(Ok(())) => {}
        Ok(Err(reason)) => fail_all(&mut resolved, &CommitError::Failed(reason)),
        Err(_) => fail_all(&mut resolved, &CommitError::Closed),
    }
    answer(shared, resolved);
}

fn resolve(shared: &Shared, group: &mut Group<'_>, job: Job) -> Resolved {
    let Job { batch, answer, internal } = job;
    let lane = batch.lane.clone();
    let result = if let Some(reason) = shared.fuse.blown() {
        Err(CommitError::Failed(reason.to_owned()))
    } else if lane.as_ref().is_some_and(Lane::is_broken) {
        Err(CommitError::LaneBroken)
    } else if !internal && shared.faults.strikes() {
        Err(CommitError::Failed("a test has asked for this failure".to_owned()))
    } else {
        group.add(batch)
    };
    if let (Err(_), Some(lane)) = (&result, &lane) {
        lane.break_now();
    }
    Resolved { answer, lane, result }
}

/// Writes the group. An error says that the store has stopped.
fn make_durable(shared: &Shared, engine: &Journaled, group: Group<'_>) -> Result<(), String> {
    let (changes, claims) = group.into_changes();
    if changes.rows.is_empty() {
        return Ok(());
    }
    let records = changes.rows.len();
    match engine.apply(changes.rows, changes.new) {
        Ok(spent) => {
            shared.counters.group_written(records, spent);
            claims.publish();
            Ok(())
        }
        Err(error) => {
            let reason = error.to_string();
            shared.fuse.blow(&reason);
            Err(reason)
        }
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
