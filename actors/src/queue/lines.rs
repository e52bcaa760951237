//! What is known of lines: which have work, which are carried out, which pause after a failure.
//! No clock and no tasks: both come from the pool.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Debug;
use std::hash::Hash;

use tokio::time::Instant;

use super::limits::Limits;
use super::turns::Turns;
use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;

/// An addressee, whose work is carried out in order.
pub trait Line: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    fn seller(self) -> SellerId;
}

/// How carrying out a line went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing of it is left.
    Done,
    /// There is more: it waits for its next turn.
    More,
    /// It is tried again after a pause.
    Failed(String),
}

/// A line that failed and was not carried out since.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Failures in a row.
    pub failures: u32,
    pub reason: String,
    pub since: Timestamp,
    /// Whether it failed so often that it is tried again seldom.
    pub parked: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    pub ready: usize,
    pub under_way: usize,
    pub pausing: usize,
    pub parked: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Ready,
    UnderWay {
        /// Work came while it was carried out.
        again: bool,
    },
    Pausing(Instant),
}

#[derive(Debug)]
pub(super) struct Lines<L> {
    limits: Limits,
    known: HashMap<L, Phase>,
    turns: Turns<L>,
    pauses: BTreeSet<(Instant, L)>,
    troubles: BTreeMap<L, Trouble>,
    parked: usize,
}

impl<L: Line> Lines<L> {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            known: HashMap::new(),
            turns: Turns::new(limits.places),
            pauses: BTreeSet::new(),
            troubles: BTreeMap::new(),
            parked: 0,
        }
    }

    /// Notes that a line has work; false where it is left on the disk.
    pub(super) fn add(&mut self, line: L) -> bool {
        match self.known.get_mut(&line) {
            Some(Phase::UnderWay { again }) => *again = true,
            Some(Phase::Ready | Phase::Pausing(_)) => {}
            None if self.turns.waiting() >= self.limits.ready => return false,
            None => self.wait(line),
        }
        true
    }

    pub(super) fn knows(&self, line: L) -> bool {
        self.known.contains_key(&line)
    }

    /// Gives the next line a place.
    pub(super) fn next(&mut self) -> Option<L> {
        let line = self.turns.next()?;
        self.known.insert(line, Phase::UnderWay { again: false });
        Some(line)
    }

    /// Takes the place of a line back; false where the line is left on the disk from now on.
    pub(super) fn done(
        &mut self,
        line: L,
        outcome: Outcome,
        (instant, now): (Instant, Timestamp),
    ) -> bool {
        self.turns.give_back(line.seller());
        let again = self.known.remove(&line) == Some(Phase::UnderWay { again: true });
        let failure = match outcome {
            Outcome::Failed(reason) => reason,
            Outcome::Done | Outcome::More => {
                if self.troubles.remove(&line).is_some_and(|trouble| trouble.parked) {
                    self.parked -= 1;
                }
                if again || outcome == Outcome::More {
                    self.wait(line);
                }
                return true;
            }
        };
        if self.pauses.len() >= self.limits.pausing {
            if self.troubles.remove(&line).is_some_and(|trouble| trouble.parked) {
                self.parked -= 1;
            }
            return false;
        }
        let limits = self.limits;
        let trouble = self.troubles.entry(line).or_insert_with(|| Trouble {
            failures: 0,
            reason: String::new(),
            since: now,
            parked: false,
        });
        trouble.failures = trouble.failures.saturating_add(1);
        trouble.reason = failure;
        if trouble.failures >= limits.park_after && !trouble.parked {
            trouble.parked = true;
            self.parked += 1;
        }
        let until = instant + limits.pause(trouble.failures);
        self.known.insert(line, Phase::Pausing(until));
        self.pauses.insert((until, line));
        true
    }

    /// Ends the pauses that are over.
    pub(super) fn wake(&mut self, now: Instant) {
        while let Some((until, line)) = self.pauses.first().copied()
            && until <= now
        {
            self.pauses.pop_first();
            self.wait(line);
        }
    }

    /// Ends the pause of a line now.
    pub(super) fn resume(&mut self, line: L) {
        if let Some(Phase::Pausing(until)) = self.known.get(&line).copied() {
            self.pauses.remove(&(until, line));
            self.wait(line);
        }
    }

    pub(super) fn next_wake(&self) -> Option<Instant> {
        self.pauses.first().map(|(until, _)| *until)
    }

    pub(super) fn trouble(&self, line: L) -> Option<&Trouble> {
        self.troubles.get(&line)
    }

    pub(super) fn parked(&self) -> impl Iterator<Item = (L, &Trouble)> {
        let parked = self.troubles.iter().filter(|(_, trouble)| trouble.parked);
        parked.map(|(line, trouble)| (*line, trouble))
    }

    pub(super) fn level(&self) -> Level {
        Level {
            ready: self.turns.waiting(),
            under_way: self.turns.taken(),
            pausing: self.pauses.len(),
            parked: self.parked,
        }
    }

    /// How many more lines may wait.
    pub(super) fn room(&self) -> usize {
        self.limits.ready.saturating_sub(self.turns.waiting())
    }

    fn wait(&mut self, line: L) {
        self.known.insert(line, Phase::Ready);
        self.turns.wait(line);
    }
}
