//! The line before the committer. Handing in never waits for the disk.

use std::collections::VecDeque;

use super::Limits;
use crate::batch::{Batch, Receipt};
use crate::error::CommitError;
use crate::lock::{Condvar, Mutex, MutexGuard};

/// Jobs that gather behind a group on its way to the disk before they are worth waking a thread.
const MANY: usize = 16;

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
    gathered: Condvar,
}

#[derive(Default)]
struct Line {
    jobs: VecDeque<Job>,
    /// Jobs that make room for others, and so never wait behind them.
    upkeep: Vec<Job>,
    closed: bool,
    /// The committer waits. Waking it costs a system call, which all but the first job spare.
    asleep: bool,
    /// A group is on its way to the disk, and the next one has room for what gathers.
    ahead: bool,
}

/// What a group has taken of its limits.
pub(super) struct Room {
    limits: Limits,
    taken: Limits,
    upkeep: usize,
}

impl Room {
    pub(super) fn of(limits: Limits) -> Self {
        Self { limits, taken: Limits { jobs: 0, rows: 0, bytes: 0 }, upkeep: 0 }
    }

    /// Makes a batch one of the group, if it fits: the first does, whatever its size.
    fn admits(&mut self, batch: &Batch) -> bool {
        let Limits { jobs, rows, bytes } = self.taken;
        let with =
            Limits { jobs: jobs + 1, rows: rows + batch.rows(), bytes: bytes + batch.bytes() };
        let Limits { jobs: most, rows: most_rows, bytes: most_bytes } = self.limits;
        let fits = with.jobs <= most && with.rows <= most_rows && with.bytes <= most_bytes;
        if fits || jobs == 0 {
            self.taken = with;
        }
        fits || jobs == 0
    }

    fn is_whole(&self) -> bool {
        self.taken.jobs == 0 && self.upkeep == 0
    }
}

impl Queue {
    pub(crate) fn push(&self, job: Job) -> Option<Job> {
        let mut line = self.line.lock();
        if line.closed {
            return Some(job);
        }
        line.jobs.push_back(job);
        if line.ahead && line.jobs.len() == MANY {
            self.gathered.notify_one();
        }
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

    /// Takes what a group has room for. For a group without jobs it waits for the first; `None`
    /// once the queue is closed and empty. While it is `crowded` only jobs that make room are
    /// taken.
    pub(super) fn take(&self, room: &mut Room, crowded: impl Fn() -> bool) -> Option<Vec<Job>> {
        let mut line = self.line.lock();
        line.ahead = false;
        loop {
            let jobs = line.take(room, &crowded);
            if !jobs.is_empty() || !room.is_whole() {
                return Some(jobs);
            }
            if line.closed {
                return None;
            }
            line.asleep = true;
            line = self.filled.wait(line);
        }
    }

    /// A group is on its way to the disk: what gathers from now on may be taken ahead.
    pub(super) fn go_ahead(&self) {
        let mut line = self.line.lock();
        line.ahead = true;
        if line.jobs.len() >= MANY {
            self.gathered.notify_one();
        }
    }

    /// Waits until many jobs gather behind a group on its way to the disk; false once the queue is
    /// closed.
    pub(super) fn wait_for_many(&self) -> bool {
        let mut line = self.line.lock();
        while !(line.closed || line.ahead && line.jobs.len() >= MANY) {
            line = self.gathered.wait(line);
        }
        !line.closed
    }

    /// Takes what a group has room for, which is nothing when it has none.
    pub(super) fn take_ahead(&self, room: &mut Room, crowded: impl Fn() -> bool) -> Vec<Job> {
        let mut line = self.line.lock();
        let jobs = line.take(room, crowded);
        line.ahead &= !jobs.is_empty();
        jobs
    }

    /// Takes no more jobs. What is queued is still committed.
    pub(crate) fn close(&self) {
        let mut line = self.line.lock();
        line.closed = true;
        drop(line);
        self.filled.notify_all();
        self.gathered.notify_all();
    }
}

impl Line {
    fn take(&mut self, room: &mut Room, crowded: impl Fn() -> bool) -> Vec<Job> {
        let waits = !self.closed && crowded();
        room.upkeep += self.upkeep.len();
        let fit = if waits {
            0
        } else {
            self.jobs.iter().take_while(|job| room.admits(&job.batch)).count()
        };
        self.upkeep.drain(..).chain(self.jobs.drain(..fit)).collect()
    }
}
