//! The group that gathers: its jobs, resolved in the order in which they were handed in.

use super::company::PATIENCE;
use super::group::{Changes, Group};
use super::queue::{Answer, Budget, Job};
use super::{Limits, Receipt};
use crate::engine::journaled::Journaled;
use crate::error::CommitError;
use crate::index::GroupClaims;
use crate::lane::Lane;
use crate::shared::Shared;

pub(super) struct Gathering<'e> {
    shared: &'e Shared,
    limits: Limits,
    group: Group<'e>,
    budget: Budget,
    resolved: Vec<Resolved>,
    /// The jobs of the group before.
    before: usize,
}

/// A group that takes no more jobs.
pub(super) struct Gathered<'e> {
    pub(super) changes: Changes,
    pub(super) claims: GroupClaims<'e>,
    pub(super) resolved: Vec<Resolved>,
}

pub(super) struct Resolved {
    pub(super) answer: Answer,
    pub(super) lane: Option<Lane>,
    pub(super) result: Result<Receipt, CommitError>,
}

impl<'e> Gathering<'e> {
    pub(super) fn new(shared: &'e Shared, engine: &'e Journaled, limits: Limits) -> Self {
        let group = Group::new(engine, &shared.indexes);
        Self { shared, limits, group, budget: Budget::of(limits), resolved: Vec::new(), before: 0 }
    }

    /// Takes what has gathered, and waits for it where there is nothing; false once the queue is
    /// closed and empty.
    pub(super) fn fill(&mut self) -> bool {
        let shared = self.shared;
        let crowded = || shared.indexes.is_crowded();
        let company = (shared.writers.company(self.before), PATIENCE);
        let Some(jobs) = shared.queue.take(&mut self.budget, company, crowded) else {
            return false;
        };
        self.resolve(jobs);
        true
    }

    /// Takes what has gathered for as long as there is something, while the group before this one
    /// is on its way to the disk.
    pub(super) fn fill_ahead(&mut self) {
        let shared = self.shared;
        loop {
            let crowded = || shared.indexes.is_crowded();
            let jobs = shared.queue.take_ahead(&mut self.budget, crowded);
            if jobs.is_empty() {
                return;
            }
            self.resolve(jobs);
        }
    }

    fn resolve(&mut self, jobs: Vec<Job>) {
        self.resolved.reserve(jobs.len());
        for Job { batch, answer, internal } in jobs {
            let lane = batch.lane.clone();
            let result = if let Some(reason) = self.shared.fuse.blown() {
                Err(CommitError::Failed(reason.to_owned()))
            } else if lane.as_ref().is_some_and(Lane::is_broken) {
                Err(CommitError::LaneBroken)
            } else if !internal && self.shared.faults.strikes() {
                Err(CommitError::Failed("a test has asked for this failure".to_owned()))
            } else {
                self.group.add(batch)
            };
            if let (Err(_), Some(lane)) = (&result, &lane) {
                lane.break_now();
            }
            self.resolved.push(Resolved { answer, lane, result });
        }
    }

    /// Hands out the group, and begins the one behind it, which rests on it.
    pub(super) fn close(&mut self) -> Gathered<'e> {
        let behind = self.group.behind();
        let (changes, claims) = std::mem::replace(&mut self.group, behind).into_changes();
        self.budget = Budget::of(self.limits);
        self.before = self.resolved.len();
        Gathered { changes, claims, resolved: std::mem::take(&mut self.resolved) }
    }
}
