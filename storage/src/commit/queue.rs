//! The line before the committer. Handing in never waits for the disk.

use std::collections::VecDeque;

use parking_lot::{Condvar, Mutex, MutexGuard};

use super::Limits;
use crate::batch::{Batch, Receipt};
use crate::error::CommitError;

/// Takes the result of a batch; runs on the committer's thread.
pub(crate) type Answer = Box<dyn FnOnce(Result<Receipt, CommitError>) + Send>;

pub(crate) struct Job {
    pub(crate) batch: Batch,
    pub(crate) answer: Answer,
    /// Handed in by the store itself: failures that tests ask for pass it by.
    pub(crate) internal: bool,
}

/// Jobs in the order they were handed in.
#[derive(Default)]
pub(crate) struct Queue {
    line: Mutex<Line>,
    filled: Condvar,
}

#[derive(Default)]
struct Line {
    jobs: VecDeque<Job>,
    /// Jobs that make room for others, and so never wait behind them.
    upkeep: Vec<Job>,
    closed: bool,
    /// The committer waits. Waking it costs a system call, which all but the first job spare.
    asleep: bool,
}

impl Queue {
    pub(crate) fn push(&self, job: Job) -> Option<Job> {
        let mut line = self.line.lock();
        if line.closed {
            return Some(job);
        }
        line.jobs.push_back(job);
        self.wake(line);
        None
    }

    /// Hands in a job of the store itself that makes room for others.
    pub(crate) fn push_upkeep(&self, job: Job) -> Option<Job> {
        let mut line = self.line.lock();
        if line.closed {
            return Some(job);
        }
        line.upkeep.push(job);
        self.wake(line);
        None
    }

    pub(crate) fn nudge(&self) {
        self.wake(self.line.lock());
    }

    fn wake(&self, mut line: MutexGuard<'_, Line>) {
        let wake = std::mem::take(&mut line.asleep);
        drop(line);
        if wake {
            self.filled.notify_one();
        }
    }

    /// Takes what one group may hold, at least one job. Waits for the first; `None` once the
    /// queue is closed and empty. While it is `crowded` only jobs that make room are taken.
    pub(crate) fn take(&self, limits: Limits, crowded: impl Fn() -> bool) -> Option<Vec<Job>> {
        let mut line = self.line.lock();
        loop {
            let waits = !line.closed && crowded();
            if !line.upkeep.is_empty() && (waits || line.jobs.is_empty()) {
                return Some(std::mem::take(&mut line.upkeep));
            }
            if !line.jobs.is_empty() && !waits {
                break;
            }
            if line.closed {
                return None;
            }
            line.asleep = true;
            self.filled.wait(&mut line);
        }
        let (mut rows, mut bytes) = (0, 0);
        let fit = line
            .jobs
            .iter()
            .take(limits.jobs)
            .take_while(|job| {
                rows += job.batch.rows();
                bytes += job.batch.bytes();
                rows <= limits.rows && bytes <= limits.bytes
            })
            .count();
        let line = &mut *line;
        Some(line.upkeep.drain(..).chain(line.jobs.drain(..fit.max(1))).collect())
    }

    /// Takes no more jobs. What is queued is still committed.
    pub(crate) fn close(&self) {
        let mut line = self.line.lock();
        line.closed = true;
        drop(line);
        self.filled.notify_all();
    }
}
