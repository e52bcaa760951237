//! A disk that cannot be relied on to answer: it answers late, or not at all, whether or not it has
//! written, it waits until it is told to go on, or belongs to somebody else by now.

use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::Store;
use crate::engine::apply::{Apply, Fence, NotApplied};
use crate::engine::journaled::Journaled;
use crate::engine::{Change, Spent};

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
        self.faults().moods.mood.lock().random = Some(spread(seed));
    }

    /// The store is somebody else's when a group is handed to the disk for the `n`th time from now
    /// on, counted from 1.
    pub fn fence_off_at(&self, n: u64) {
        self.faults().moods.mood.lock().own_groups = Some(n.saturating_sub(1));
    }

    /// Lets no group become durable before what is returned is dropped.
    pub fn hold_groups(&self) -> HeldGroups<'_> {
        self.faults().moods.mood.lock().held = true;
        HeldGroups { moods: &self.faults().moods }
    }
}

/// Groups do not become durable while this lives.
#[derive(Debug)]
pub struct HeldGroups<'s> {
    moods: &'s Moods,
}

impl HeldGroups<'_> {
    /// Returns when a group is on its way to the disk.
    pub fn wait(&self) {
        let mut mood = self.moods.mood.lock();
        while !mood.waits {
            self.moods.changed.wait(&mut mood);
        }
    }

    /// Lets the disk refuse the group that waits.
    pub fn refuse(self) {
        self.moods.mood.lock().refuses = true;
    }
}

impl Drop for HeldGroups<'_> {
    fn drop(&mut self) {
        self.moods.mood.lock().held = false;
        self.moods.changed.notify_all();
    }
}

/// How groups are answered at the moment.
#[derive(Debug)]
pub(crate) struct Moods {
    mood: Mutex<Mood>,
    changed: Condvar,
}

impl Default for Moods {
    fn default() -> Self {
        let given = |name| std::env::var(name).ok()?.parse::<u64>().ok();
        let (random, own_groups) = (given(UNCERTAIN).map(spread), given(FENCED_AT));
        let mood = Mood { random, own_groups, ..Mood::default() };
        Self { mood: Mutex::new(mood), changed: Condvar::new() }
    }
}

#[derive(Debug, Default)]
struct Mood {
    /// What is drawn next; `None` while everything is answered at once.
    random: Option<u64>,
    /// How often groups are taken before the store is somebody else's.
    own_groups: Option<u64>,
    held: bool,
    /// A group is held.
    waits: bool,
    refuses: bool,
}

enum Answer {
    AtOnce,
    Late(Duration),
    /// It is written, and nobody hears of it.
    Lost,
    /// It is not written, and nobody hears of it.
    Never,
}

pub(crate) struct Moody<'e> {
    pub(super) engine: &'e Journaled,
    pub(super) moods: &'e Moods,
}

impl Apply for Moody<'_> {
    fn apply(&self, fence: Fence, group: u64, changes: &[Change]) -> Result<Spent, NotApplied> {
        let answer = self.moods.answer()?;
        if matches!(answer, Answer::Never) {
            return Err(NotApplied::Unknown);
        }
        let spent = self.engine.apply(fence, group, changes)?;
        match answer {
            Answer::Lost => return Err(NotApplied::Unknown),
            Answer::Late(pause) => thread::sleep(pause),
            Answer::AtOnce | Answer::Never => {}
        }
        Ok(spent)
    }
}

impl Moods {
    fn answer(&self) -> Result<Answer, NotApplied> {
        let mut mood = self.mood.lock();
        if mood.held {
            mood.waits = true;
            self.changed.notify_all();
            while mood.held {
                self.changed.wait(&mut mood);
            }
            mood.waits = false;
        }
        if mood.refuses {
            return Err(NotApplied::Refused("a test has asked for this refusal".to_owned()));
        }
        if let Some(left) = &mut mood.own_groups {
            *left = left.checked_sub(1).ok_or(NotApplied::Fenced)?;
        }
        Ok(mood.random.as_mut().map_or(Answer::AtOnce, draw))
    }
}

/// A seed for [`draw`], of which zero is none.
fn spread(seed: u64) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// Draws by xorshift.
fn draw(random: &mut u64) -> Answer {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    match *random >> 32 & 7 {
        0 => Answer::Lost,
        1 => Answer::Never,
        2 | 3 => Answer::Late(Duration::from_micros(*random % LATEST_MICROS)),
        _ => Answer::AtOnce,
    }
}
