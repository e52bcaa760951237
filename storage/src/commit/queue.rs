//! The line before the committer. Handing in never waits for the disk.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

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
    /// The jobs that the committer waits for, while it does.
    company: usize,
    /// A group is on its way to the disk, and the next one has room for what gathers.
    ahead: bool,
}

/// What a group has taken of its limits.
pub(super) struct Budget {
    limits: Limits,
    taken: Limits,
    upkeep: usize,
}

impl Budget {
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
        line.asleep |= line.jobs.len() == line.company;
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

    /// Takes what a group has room for. For a group without jobs it waits for the first, and then
    /// for `company`: so many jobs, for so long at most. `None` once the queue is closed and
    /// empty. While it is `crowded` only jobs that make room are taken.
    pub(super) fn take(
        &self,
        budget: &mut Budget,
        company: (usize, Duration),
        crowded: impl Fn() -> bool,
    ) -> Option<Vec<Job>> {
        let mut line = self.line.lock();
        line.ahead = false;
        loop {
            if budget.is_whole() {
                line = self.wait_for_company(line, company);
            }
            let jobs = line.take(budget, &crowded);
            if !jobs.is_empty() || !budget.is_whole() {
                return Some(jobs);
            }
            if line.closed {
                return None;
            }
            line.asleep = true;
            line = self.filled.wait(line);
        }
    }

    fn wait_for_company<'l>(
        &self,
        mut line: MutexGuard<'l, Line>,
        (company, patience): (usize, Duration),
    ) -> MutexGuard<'l, Line> {
        let until = Instant::now() + patience;
        line.company = company;
        while !line.jobs.is_empty() && line.jobs.len() < company && !line.closed {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            line = self.filled.wait_for(line, left);
        }
        line.company = 0;
        line
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
    pub(super) fn take_ahead(&self, budget: &mut Budget, crowded: impl Fn() -> bool) -> Vec<Job> {
        let mut line = self.line.lock();
        let jobs = line.take(budget, crowded);
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
    fn take(&mut self, budget: &mut Budget, crowded: impl Fn() -> bool) -> Vec<Job> {
        let waits = !self.closed && crowded();
        budget.upkeep += self.upkeep.len();
        let fit = if waits {
            0
        } else {
            self.jobs.iter().take_while(|job| budget.admits(&job.batch)).count()
        };
        self.upkeep.drain(..).chain(self.jobs.drain(..fit)).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const LIMITS: Limits = Limits { jobs: 100, rows: 100, bytes: 1_000 };
    const FOREVER: Duration = Duration::from_secs(3_600);

    fn push(queue: &Queue, jobs: usize) {
        for _ in 0..jobs {
            let job = Job { batch: Batch::new(), answer: Box::new(|_| {}), internal: false };
            assert!(queue.push(job).is_none());
        }
    }

    fn taken(queue: &Queue, company: usize, patience: Duration) -> Option<usize> {
        let jobs = queue.take(&mut Budget::of(LIMITS), (company, patience), || false);
        jobs.map(|jobs| jobs.len())
    }

    #[test]
    fn a_group_waits_until_its_company_is_there() {
        let queue = Queue::default();
        push(&queue, 3);
        thread::scope(|scope| {
            let taken = scope.spawn(|| taken(&queue, 5, FOREVER));
            while queue.line.lock().company == 0 {
                thread::yield_now();
            }
            push(&queue, 1);
            assert!(!taken.is_finished());
            push(&queue, 1);
            assert_eq!(taken.join().unwrap(), Some(5));
        });
    }

    #[test]
    fn a_group_goes_without_company_once_its_patience_is_over_or_the_queue_is_closed() {
        let queue = Queue::default();
        push(&queue, 3);
        assert_eq!(taken(&queue, 5, Duration::from_millis(1)), Some(3));
        push(&queue, 2);
        queue.close();
        assert_eq!(taken(&queue, 5, FOREVER), Some(2));
        assert_eq!(taken(&queue, 5, FOREVER), None);
    }

    #[test]
    fn a_group_that_wants_no_company_goes_at_once() {
        let queue = Queue::default();
        push(&queue, 1);
        assert_eq!(taken(&queue, 0, FOREVER), Some(1));
    }
}
