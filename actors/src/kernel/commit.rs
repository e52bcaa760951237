//! The one place where a decision becomes memory, batch and timers.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use storage::{Batch, CommitError, InFlight, Lane};
use tokio::sync::oneshot;

use super::decision::{Announced, Decision, Effects};
use super::entry::Entry;
use super::late::{self, Late};
use super::once::Halt;
use super::rooms::RoomKind;
use super::{Context, Room};
use crate::delivery::{Staged, stage_events};
use crate::domain::ids::{MessageId, SellerId};
use crate::domain::messages::Envelope;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::domain::time::Timestamp;
use crate::outbox::Outbox;
use crate::tables::ids;
use crate::timers::{Calendar, TimerKind, Timers};

pub(super) type Decide<R, T> = dyn Fn(&R, &Context<R>) -> Decided<R, T> + Send + Sync;

pub(super) type Decided<R, T> = Result<Decision<R, T>, Halt>;

/// What travels back to the caller of a command.
pub(super) enum Outcome<T> {
    Answer(Result<T, Halt>),
    /// The room's memory ran ahead of a refused batch, or a claim was lost. Nothing of this
    /// command was written.
    StartAgain,
}

/// The port for the answer to one command. Dropped unused, the caller is told "unanswered".
pub(super) struct Reply<T>(pub(super) oneshot::Sender<Outcome<T>>);

impl<T> Reply<T> {
    pub(super) fn send(self, outcome: Outcome<T>) {
        // A caller who gave up is no concern of the room.
        let _ = self.0.send(outcome);
    }
}

pub(super) struct Running<R: Room> {
    pub(super) room: R,
    pub(super) context: Context<R>,
    pub(super) timers: Timers,
    pub(super) lane: Lane,
    pub(super) entry: Arc<Entry>,
    pub(super) late: Late<R>,
}

impl<R: Room> Running<R> {
    pub(super) fn run<T: Send + 'static>(&mut self, decide: Arc<Decide<R, T>>, reply: Reply<T>) {
        self.context.now = self.context.kind.services.clock.now();
        self.context.in_flight.lock().landed(self.entry.answered.load(Ordering::Acquire));
        match decide(&self.room, &self.context) {
            Ok(Decision { effects: Some(effects), answer }) => {
                let starts_anew = effects.starts_anew;
                let (batch, sent) = self.apply(effects);
                self.commit(batch, reply, move || {
                    sent.go();
                    answer().map_err(Halt::from)
                });
                // The successor reads the rows behind all that is handed in before.
                if starts_anew {
                    self.start_anew();
                }
            }
            Ok(Decision { effects: None, answer }) => {
                self.answer(reply, move || answer().map_err(Halt::from));
            }
            Err(Halt::Refused(Refusal { kind: RefusalKind::Stale, .. })) if self.is_crowded() => {
                self.tell_later(decide, reply);
            }
            Err(halt) => self.answer(reply, move || Err(halt)),
        }
        self.entry.rests.store(self.room.rests() && self.late.is_empty(), Ordering::Release);
        if !self.room.is_known() {
            self.start_anew();
        }
    }

    fn apply(&mut self, effects: Effects<R>) -> (Batch, Sent<R>) {
        let Effects { mut rows, changes, events, mut staged, messages, once_durable, .. } = effects;
        for change in changes {
            self.room.apply(change, &mut rows);
        }
        let timers = self.set_timers(&mut rows);
        self.stage(&mut rows, &events, &mut staged);
        let message = |envelope| (MessageId(self.context.id(ids::MESSAGE)), envelope);
        let messages: Vec<_> = messages.into_iter().map(message).collect();
        for (id, envelope) in &messages {
            Outbox::stage(&mut rows, *id, envelope);
        }
        let kind = Arc::clone(&self.context.kind);
        (rows, Sent { kind, staged, messages, timers, once_durable })
    }

    /// Makes the rows of timers agree with what the room wants.
    fn set_timers(&mut self, rows: &mut Batch) -> DurableTimers {
        let (seller, object) = (R::seller(self.context.id), R::object(self.context.id));
        let put = self.timers.set(rows, seller, object, &self.room.timers());
        DurableTimers { seller, put }
    }

    /// Writes the timers that are missing, as after a release whose rules want others.
    pub(super) fn mend_timers(&mut self) {
        self.write_timers(Reply(oneshot::channel().0), ());
    }

    /// A timer was met that brought nothing about: deletes its row, unless the room wants it.
    pub(super) fn mend_timer(&mut self, kind: TimerKind, at: Timestamp, reply: Reply<bool>) {
        self.context.in_flight.lock().landed(self.entry.answered.load(Ordering::Acquire));
        let stale = self.room.timers().get(&kind) != Some(&at);
        self.timers.met(kind, at);
        self.write_timers(reply, stale);
    }

    fn write_timers<T: Send + 'static>(&mut self, reply: Reply<T>, answer: T) {
        let mut rows = Batch::new();
        let timers = self.set_timers(&mut rows);
        if rows.is_empty() {
            return self.answer(reply, move || Ok(answer));
        }
        let calendar = self.context.kind.services.calendar.clone();
        self.commit(rows, reply, move || {
            timers.note(&calendar);
            Ok(answer)
        });
    }

    fn start_anew(&self) {
        self.entry.retire();
        self.context.kind.entries.resting.note_now(self.context.id, &self.entry);
    }

    fn stage(&self, rows: &mut Batch, announced: &[Announced], staged: &mut Vec<Staged>) {
        let origin = self.context.origin();
        for Announced { seller, only, events } in announced {
            let webhooks = only.as_ref().map_or(&seller.webhooks[..], std::slice::from_ref);
            let next = || self.context.id(ids::EVENT);
            staged.extend(stage_events(rows, &origin, webhooks, events, next));
        }
    }

    /// Answers what rests on memory: at once when nothing is under way, else behind it. Where
    /// what was under way has failed since the command was decided, it is decided again.
    fn answer<T: Send + 'static>(
        &mut self,
        reply: Reply<T>,
        answer: impl FnOnce() -> Result<T, Halt> + Send + 'static,
    ) {
        if !self.entry.has_landed() {
            self.commit(Batch::new(), reply, answer);
        } else if self.entry.is_retired() {
            reply.send(Outcome::StartAgain);
        } else {
            reply.send(Outcome::Answer(answer()));
        }
    }

    /// Hands in a batch and goes on at once. When it is refused the room ends, since its memory
    /// ran ahead of the disk, and its successor starts from the committed rows.
    fn commit<T: Send + 'static>(
        &mut self,
        mut batch: Batch,
        reply: Reply<T>,
        answer: impl FnOnce() -> Result<T, Halt> + Send + 'static,
    ) {
        batch.lane(&self.lane);
        let entry = Arc::clone(&self.entry);
        let number = entry.submitted.fetch_add(1, Ordering::AcqRel) + 1;
        let in_flight = Arc::clone(&self.context.in_flight);
        in_flight.lock().note(number, &batch);
        let (id, kind) = (self.context.id, Arc::clone(&self.context.kind));
        self.context.services().keeping.wrote(R::seller(id), batch.bytes());
        self.context.store().commit(batch, move |result| {
            let answered = Answered { id, kind: &kind, entry: &entry, in_flight: &in_flight };
            match result {
                Ok(_) => reply.send(Outcome::Answer(answer())),
                Err(CommitError::LaneBroken) => reply.send(Outcome::StartAgain),
                Err(CommitError::Claimed(_)) => {
                    answered.entry.retire();
                    reply.send(Outcome::StartAgain);
                }
                Err(error) => {
                    answered.entry.retire();
                    let (seller, object) = (R::seller(id).0, R::object(id));
                    tracing::error!(room = R::KIND, seller, object, %error, "a batch was refused");
                    reply.send(Outcome::Answer(Err(Refusal::fault().into())));
                }
            }
        });
    }
}

/// Counts a batch as answered, even when making its answer panics. An idle room keeps no copy of
/// what it has written, and tells those that came too late.
struct Answered<'a, R: Room> {
    id: R::Id,
    kind: &'a Arc<RoomKind<R>>,
    entry: &'a Entry,
    in_flight: &'a Mutex<InFlight>,
}

impl<R: Room> Drop for Answered<'_, R> {
    fn drop(&mut self) {
        let answered = self.entry.answered.fetch_add(1, Ordering::AcqRel) + 1;
        if self.entry.has_landed() {
            self.in_flight.lock().landed(answered);
            late::tell_next(self.kind, self.id, self.entry);
        }
    }
}

struct Sent<R: Room> {
    kind: Arc<RoomKind<R>>,
    staged: Vec<Staged>,
    messages: Vec<(MessageId, Envelope)>,
    timers: DurableTimers,
    once_durable: Vec<Box<dyn FnOnce() + Send>>,
}

/// Timers that were put, to be noted when they are durable.
struct DurableTimers {
    seller: SellerId,
    put: Vec<(TimerKind, Timestamp)>,
}

impl DurableTimers {
    fn note(&self, calendar: &Calendar) {
        for (kind, at) in &self.put {
            calendar.note(*kind, self.seller, *at);
        }
    }
}

impl<R: Room> Sent<R> {
    /// Tells of what is durable. Each part is told whatever becomes of the others.
    fn go(self) {
        let services = &self.kind.services;
        for staged in &self.staged {
            isolated::<R>("an event", || services.deliveries.notify(staged));
        }
        for (id, envelope) in self.messages {
            isolated::<R>("a message", || services.outbox.notify(id, envelope));
        }
        isolated::<R>("a timer", || self.timers.note(&services.calendar));
        for act in self.once_durable {
            isolated::<R>("an act", act);
        }
    }
}

/// Carries out one part of what follows a commit. All of it is durable: a panic in here neither
/// changes the answer nor keeps the parts behind it back.
fn isolated<R: Room>(of: &str, part: impl FnOnce()) {
    if std::panic::catch_unwind(AssertUnwindSafe(part)).is_err() {
        tracing::error!(room = R::KIND, of, "what follows a commit panicked, the rest goes on");
    }
}
