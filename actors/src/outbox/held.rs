//! Messages in memory: of some lines all that are on their way. Those of the others are read from
//! the disk.

use std::collections::{HashMap, VecDeque};

use parking_lot::{Mutex, MutexGuard};

use crate::domain::ids::MessageId;
use crate::domain::messages::{Addressee, Message};

/// How many messages are held at most, of all lines and of one.
const HELD: usize = 16_384;
const HELD_OF_A_LINE: usize = 2_048;

#[derive(Debug, Default)]
pub(super) struct Held(Mutex<Lines>);

#[derive(Debug, Default)]
pub(super) struct Lines {
    /// An empty line is one whose messages are being delivered.
    lines: HashMap<Addressee, VecDeque<(MessageId, Message)>>,
    count: usize,
}

impl Held {
    pub(super) fn lock(&self) -> MutexGuard<'_, Lines> {
        self.0.lock()
    }
}

impl Lines {
    /// Holds a message of a line that is held, or that `begins` says has no other message.
    pub(super) fn keep(
        &mut self,
        line: Addressee,
        id: MessageId,
        message: Message,
        begins: impl FnOnce() -> bool,
    ) {
        let full = self.count >= HELD;
        let held = match self.lines.get_mut(&line) {
            Some(held) if full || held.len() >= HELD_OF_A_LINE => return self.leave(line),
            Some(held) => held,
            None if full || !begins() => return,
            None => self.lines.entry(line).or_default(),
        };
        held.push_back((id, message));
        self.count += 1;
    }

    /// The next messages of a line, oldest first. `None` where they are read from the disk; what
    /// comes meanwhile is held.
    pub(super) fn take(
        &mut self,
        line: Addressee,
        most: usize,
    ) -> Option<Vec<(MessageId, Message)>> {
        let held = self.lines.entry(line).or_default();
        if held.is_empty() {
            return None;
        }
        let taken: Vec<_> = held.drain(..held.len().min(most)).collect();
        self.count -= taken.len();
        Some(taken)
    }

    /// Lets go of a line whose messages were taken; false where more have come.
    pub(super) fn ends(&mut self, line: Addressee) -> bool {
        let ends = self.lines.get(&line).is_some_and(VecDeque::is_empty);
        if ends {
            self.lines.remove(&line);
        }
        ends
    }

    /// Leaves the messages of a line on the disk, where they are read when it is their turn.
    pub(super) fn leave(&mut self, line: Addressee) {
        let left = self.lines.remove(&line);
        self.count -= left.map_or(0, |left| left.len());
        if self.lines.is_empty() && self.lines.capacity() > HELD {
            self.lines.shrink_to_fit();
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }
}
