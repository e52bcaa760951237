//! Commands that came too late: each rests on a version, and another one was first. While a room
//! is busy they wait, and behind each commit a few are told, by then of the version that is
//! current: as many as can be next. Were all told at once, all would try again at once, and where
//! many compete the server would do little else but refuse them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::Room;
use super::actor::Work;
use super::commit::{Decide, Outcome, Reply, Running};
use super::entry::Entry;
use super::rooms::RoomKind;

/// How many are told behind each commit. One alone may have given up, or be slow.
const AT_A_TIME: usize = 2;
/// How many wait at most; those beyond them are told as soon as what they rest on is durable.
const MOST: usize = 1_024;
/// When all are told, because nobody has written anything for so long.
const PATIENCE: Duration = Duration::from_millis(5);

/// Decides a command again in the room; without one, sends its caller to the room's successor.
type Again<R> = Box<dyn FnOnce(Option<&mut Running<R>>) + Send>;

pub(super) struct Late<R: Room> {
    waiting: VecDeque<Again<R>>,
    /// How many batches the room had handed in when it was last looked whether anybody writes.
    looked_at: Option<u64>,
}

impl<R: Room> Default for Late<R> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), looked_at: None }
    }
}

impl<R: Room> Late<R> {
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

/// Nothing of these commands was done: the room's successor decides them.
impl<R: Room> Drop for Late<R> {
    fn drop(&mut self) {
        self.waiting.drain(..).for_each(|again| again(None));
    }
}

impl<R: Room> Running<R> {
    /// Whether a command that came too late waits: something is under way.
    pub(super) fn is_crowded(&self) -> bool {
        !self.entry.has_landed() && self.late.waiting.len() < MOST
    }

    pub(super) fn tell_later<T: Send + 'static>(
        &mut self,
        decide: Arc<Decide<R, T>>,
        reply: Reply<T>,
    ) {
        self.late.waiting.push_back(Box::new(move |running| match running {
            Some(running) => running.run(decide, reply),
            None => reply.send(Outcome::StartAgain),
        }));
        self.count_late();
        if self.late.looked_at.is_none() {
            self.look_later();
        }
    }

    /// Tells some of those that came too late. While something is under way they wait on.
    fn tell(&mut self, count: usize) {
        if !self.entry.has_landed() {
            return;
        }
        let told: Vec<_> = (0..count).map_while(|_| self.late.waiting.pop_front()).collect();
        self.count_late();
        told.into_iter().for_each(|again| again(Some(&mut *self)));
    }

    fn count_late(&self) {
        self.entry.late.store(self.late.waiting.len(), Ordering::Release);
    }

    /// Looks in a while whether anybody has written something.
    fn look_later(&mut self) {
        self.late.looked_at = Some(self.entry.submitted.load(Ordering::Acquire));
        let (id, kind) = (self.context.id, Arc::clone(&self.context.kind));
        tokio::spawn(async move {
            tokio::time::sleep(PATIENCE).await;
            // A room that takes no more commands gives way to one that nobody waits for.
            let _ = kind.send(id, Work(Box::new(|running| running.look())), Duration::ZERO);
        });
    }

    fn look(&mut self) {
        let submitted = self.entry.submitted.load(Ordering::Acquire);
        if self.late.looked_at.take() == Some(submitted) {
            self.tell(MOST);
        }
        if !self.late.is_empty() {
            self.look_later();
        }
    }
}

/// Has a room tell the next of those that came too late, when all that it handed in is answered.
/// Called on the committer's thread, where no room can start: those of one that is not to be trusted
/// any more go to its successor with the next look.
pub(super) fn tell_next<R: Room>(kind: &Arc<RoomKind<R>>, id: R::Id, entry: &Entry) {
    if entry.late.load(Ordering::Acquire) > 0 {
        let tell = |running: &mut Running<R>| running.tell(AT_A_TIME);
        kind.entries.send_to_running(id, Work(Box::new(tell)));
    }
}
