//! What a command has decided, as a value.

use std::sync::Arc;

use parking_lot::Mutex;
use storage::{Batch, Key, Numbers, Record, Table};

use super::{Context, Room};
use crate::delivery::{Reserved, Staged, stage_events};
use crate::directory::SellerSnapshot;
use crate::domain::billing::numbering::Numbered;
use crate::domain::chain::{self, Link};
use crate::domain::ids::SellerId;
use crate::domain::messages::Envelope;
use crate::domain::platform::event::{Event, NewEvent};
use crate::domain::platform::webhook::Webhook;
use crate::domain::refusal::Refusal;
use crate::tables::ids;

/// All that a command brings about, beside its answer.
pub struct Effects<R: Room> {
    /// Rows that no change of memory puts: claims, indexes, rows of drawn numbers.
    pub rows: Batch,
    pub(super) changes: Vec<R::Change>,
    pub(super) events: Vec<Announced>,
    /// Events that are in `rows` already.
    pub(super) staged: Vec<Staged>,
    pub(super) messages: Vec<Envelope>,
    pub(super) once_durable: Vec<Box<dyn FnOnce() + Send>>,
    pub(super) starts_anew: bool,
}

pub(super) struct Announced {
    pub(super) seller: Arc<SellerSnapshot>,
    /// One webhook alone, whatever it subscribes to.
    pub(super) only: Option<Arc<Webhook>>,
    pub(super) events: Vec<NewEvent>,
}

/// What a command has decided: its effects, and the answer that leaves when they are durable.
pub struct Decision<R: Room, T> {
    pub(super) effects: Option<Effects<R>>,
    pub(super) answer: Answer<T>,
}

/// Makes the answer once all is durable.
pub(super) type Answer<T> = Box<dyn FnOnce() -> Result<T, Refusal> + Send>;

/// A number that was drawn, with its place in the chain.
#[derive(Clone, Copy, Debug)]
pub struct Linked {
    pub number: u64,
    pub digest: Link,
    pub link: Link,
}

impl Linked {
    /// The row of the number that this document got.
    pub fn given_to<T>(self, document: T) -> Numbered<T> {
        Numbered { document, digest: self.digest, link: self.link }
    }
}

/// What a commit makes of a drawn number, there once it is durable.
pub struct Drawn<T>(Arc<Mutex<Option<T>>>);

impl<R: Room> Default for Effects<R> {
    fn default() -> Self {
        Self {
            rows: Batch::new(),
            changes: Vec::new(),
            events: Vec::new(),
            staged: Vec::new(),
            messages: Vec::new(),
            once_durable: Vec::new(),
            starts_anew: false,
        }
    }
}

impl<R: Room> Effects<R> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn change(&mut self, change: R::Change) {
        self.changes.push(change);
    }

    pub fn changes(&self) -> &[R::Change] {
        &self.changes
    }

    /// Puts a row that the room does not keep in memory.
    pub fn put<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K, value: &V) {
        self.rows.put(table, key, value);
    }

    pub fn delete<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K) {
        self.rows.delete(table, key);
    }

    /// Puts a row whose key must be absent. A command looks for the key before it claims it:
    /// where another room is first all the same, the command is decided again.
    pub fn claim<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K, value: &V) {
        self.rows.claim(table, key, value);
    }

    /// Draws the next number of a gapless sequence in the commit, and puts there what needs it:
    /// `rows` runs on the committer's thread and must be quick. The room's memory does not know
    /// those rows.
    pub fn draw<T: Send + 'static>(
        &mut self,
        sequence: &impl Key,
        rows: impl FnOnce(u64, &mut Batch) -> T + Send + 'static,
    ) -> Drawn<T> {
        let draw = self.rows.draw(sequence);
        self.make(move |numbers, batch| rows(numbers[draw], batch))
    }

    /// Draws as [`draw`](Self::draw) does, of a sequence in which each number carries a link to
    /// those before it; `digest` is of what gets this one.
    pub fn draw_linked<T: Send + 'static>(
        &mut self,
        sequence: &impl Key,
        digest: Link,
        rows: impl FnOnce(Linked, &mut Batch) -> T + Send + 'static,
    ) -> Drawn<T> {
        let linked = self.link(sequence, digest);
        self.make(move |numbers, batch| rows(linked(numbers), batch))
    }

    /// Draws as [`draw_linked`](Self::draw_linked) does, for what is told in `count` events: `rows`
    /// makes these beside the rest. They come behind what was [told](Self::emit_now) before.
    pub fn draw_and_tell<T: Send + 'static>(
        &mut self,
        (sequence, digest): (&impl Key, Link),
        (seller, count): (SellerId, usize),
        rows: impl FnOnce(Linked, &mut Batch) -> (T, Vec<Event>) + Send + 'static,
    ) -> Drawn<T> {
        let linked = self.link(sequence, digest);
        let reserved = Reserved::draw(&mut self.rows, seller, count);
        self.staged.extend(reserved.as_ref().map(Reserved::staged));
        self.make(move |numbers, batch| {
            let (drawn, events) = rows(linked(numbers), batch);
            if let Some(reserved) = reserved {
                reserved.put(numbers, batch, events);
            }
            drawn
        })
    }

    /// Draws the next number of a linked sequence, to be found among those of the batch.
    fn link(
        &mut self,
        sequence: &impl Key,
        digest: Link,
    ) -> impl FnOnce(&Numbers) -> Linked + Send + 'static {
        let draw = self.rows.draw_linked(sequence, move |before| chain::link(before, &digest));
        move |numbers| Linked { number: numbers[draw], digest, link: numbers.link(draw) }
    }

    /// Has the commit make something of the numbers that the batch draws.
    fn make<T: Send + 'static>(
        &mut self,
        make: impl FnOnce(&Numbers, &mut Batch) -> T + Send + 'static,
    ) -> Drawn<T> {
        let slot = Arc::new(Mutex::new(None));
        let made = Arc::clone(&slot);
        self.rows.with_numbers(move |numbers, batch| *made.lock() = Some(make(numbers, batch)));
        Drawn(slot)
    }

    /// Tells events before all that is told later, also by [`draw_and_tell`](Self::draw_and_tell).
    pub fn emit_now(&mut self, cx: &Context<R>, seller: &SellerSnapshot, events: &[NewEvent]) {
        let next = || cx.id(ids::EVENT);
        let staged = stage_events(&mut self.rows, &cx.origin(), &seller.webhooks, events, next);
        self.staged.extend(staged);
    }

    /// Sends events to the seller's webhooks that subscribe to them.
    pub fn emit(&mut self, seller: &Arc<SellerSnapshot>, events: Vec<NewEvent>) {
        if !events.is_empty() {
            self.events.push(Announced { seller: Arc::clone(seller), only: None, events });
        }
    }

    pub fn call_back(&mut self, seller: &Arc<SellerSnapshot>, to: Webhook, event: NewEvent) {
        let (seller, only) = (Arc::clone(seller), Some(Arc::new(to)));
        self.events.push(Announced { seller, only, events: vec![event] });
    }

    /// Sends a message to another room, which takes it once.
    pub fn send(&mut self, message: Envelope) {
        self.messages.push(message);
    }

    /// Does something quick once all is durable, before the answer leaves.
    pub fn once_durable(&mut self, act: impl FnOnce() + Send + 'static) {
        self.once_durable.push(Box::new(act));
    }

    /// Starts the room anew from its rows before the next command: for rows of drawn numbers that
    /// the room keeps in memory.
    pub fn start_anew(&mut self) {
        self.starts_anew = true;
    }

    pub fn answer<T: Send + 'static>(self, answer: T) -> Decision<R, T> {
        Decision { effects: Some(self), answer: Box::new(move || Ok(answer)) }
    }

    /// Decides these effects, with an answer that is made of what the commit has drawn.
    pub fn answer_drawn<D: Send + 'static, T: Send + 'static>(
        self,
        drawn: Drawn<D>,
        answer: impl FnOnce(D) -> T + Send + 'static,
    ) -> Decision<R, T> {
        let answer = move || drawn.0.lock().take().map(answer).ok_or_else(Refusal::fault);
        Decision { effects: Some(self), answer: Box::new(answer) }
    }
}

impl<R: Room, T: Send + 'static> Decision<R, T> {
    /// Nothing is to be done: the answer tells how things stand.
    pub fn unchanged(answer: T) -> Self {
        Self { effects: None, answer: Box::new(move || Ok(answer)) }
    }

    /// The same decision with what is made of its answer.
    pub fn map<U: Send + 'static>(
        self,
        of: impl FnOnce(T) -> U + Send + 'static,
    ) -> Decision<R, U> {
        let answer = self.answer;
        Decision { effects: self.effects, answer: Box::new(move || answer().map(of)) }
    }
}
