//! A disk that cannot be relied on to answer: it answers late, or not at all, whether or not it has
//! written, it waits until it is told to go on, or belongs to somebody else by now.

use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::Store;
use crate::engine::Spent;
use crate::engine::apply::{Apply, Fence, NotApplied};
use crate::engine::journaled::Journaled;

/// The variable of the environment with a seed: every store of such a process
/// [answers uncertainly](Store::answer_uncertainly) from its opening on.
pub const UNCERTAIN: &str = "STORAGE_UNCERTAIN";
/// The variable with a number: every store of such a process is
/// [fenced off](Store::fence_off_at) at that group.
pub const FENCED_AT: &str = "STORAGE_FENCED_AT";

/// The latest of the late answers.
const LATEST_MICROS: u64 = 4_000;

impl Store {
    /// From now on groups are answered late, or not at all although they are written, or are not
    /// written and not answered, each at random by the seed.
    pub fn answer_uncertainly(&self, seed: u64) {
        self.faults().answers.state.lock().random = Some(spread(seed));
    }

    /// The store is somebody else's when a group is handed to the disk for the `n`th time from now
    /// on, counted from 1.
    pub fn fence_off_at(&self, n: u64) {
        self.faults().answers.state.lock().own_groups = Some(n.saturating_sub(1));
    }

    /// Lets no group become durable before what is returned is dropped.
    pub fn hold_groups(&self) -> HeldGroups<'_> {
        self.faults().answers.state.lock().held = true;
        HeldGroups { answers: &self.faults().answers }
    }
}

/// Groups do not become durable while this lives.
#[derive(Debug)]
pub struct HeldGroups<'s> {
    answers: &'s Answers,
}

impl HeldGroups<'_> {
    /// Returns when a group is on its way to the disk.
    pub fn wait(&self) {
        let mut state = self.answers.state.lock();
        while !state.waits {
            self.answers.changed.wait(&mut state);
        }
    }

    /// Lets the disk refuse the group that waits.
    pub fn refuse(self) {
        self.answers.state.lock().refuses = true;
    }
}

impl Drop for HeldGroups<'_> {
    fn drop(&mut self) {
        self.answers.state.lock().held = false;
        self.answers.changed.notify_all();
    }
}

/// How groups are answered at the moment.
#[derive(Debug)]
pub(crate) struct Answers {
    state: Mutex<State>,
    changed: Condvar,
}

impl Default for Answers {
    fn default() -> Self {
        let given = |name| std::env::var(name).ok()?.parse::<u64>().ok();
        let (random, own_groups) = (given(UNCERTAIN).map(spread), given(FENCED_AT));
        let state = State { random, own_groups, ..State::default() };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }
}

#[derive(Debug, Default)]
struct State {
    /// What is drawn next; `None` while everything is answered at once.
    random: Option<u64>,
    /// How often groups are taken before the store is somebody else's.
    own_groups: Option<u64>,
    held: bool,
    /// A group is held.
    waits: bool,
    refuses: bool,
}

enum Outcome {
    AtOnce,
    Late(Duration),
    /// It is written, and nobody hears of it.
    Lost,
    /// It is not written, and nobody hears of it.
    Never,
}

pub(crate) struct UncertainEngine<'e> {
    pub(super) engine: &'e Journaled,
    pub(super) answers: &'e Answers,
}

impl Apply for UncertainEngine<'_> {
    fn apply(&self, fence: Fence, group: u64, payload: &[u8]) -> Result<Spent, NotApplied> {
        let outcome = self.answers.draw()?;
        if matches!(outcome, Outcome::Never) {
            return Err(NotApplied::Unknown);
        }
        let spent = self.engine.apply(fence, group, payload)?;
        match outcome {
            Outcome::Lost => return Err(NotApplied::Unknown),
            Outcome::Late(pause) => thread::sleep(pause),
            Outcome::AtOnce | Outcome::Never => {}
        }
        Ok(spent)
    }
}

impl Answers {
    fn draw(&self) -> Result<Outcome, NotApplied> {
        let mut state = self.state.lock();
        if state.held {
            state.waits = true;
            self.changed.notify_all();
            while state.held {
                self.changed.wait(&mut state);
            }
            state.waits = false;
        }
        if state.refuses {
            return Err(NotApplied::Refused("a test has asked for this refusal".to_owned()));
        }
        if let Some(left) = &mut state.own_groups {
            *left = left.checked_sub(1).ok_or(NotApplied::Fenced)?;
        }
        Ok(state.random.as_mut().map_or(Outcome::AtOnce, drawn))
    }
}

/// A seed for [`drawn`], of which zero is none.
fn spread(seed: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// Draws by xorshift.
fn drawn(random: &mut u64) -> Outcome {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    match *random >> 32 & 7 {
        0 => Outcome::Lost,
        1 => Outcome::Never,
        2 | 3 => Outcome::Late(Duration::from_micros(*random % LATEST_MICROS)),
        _ => Outcome::AtOnce,
    }
}
