//! Delivers messages between rooms: at least once, in order for each addressee, from rows that are
//! written with their cause.
//!
//! A room puts an [`OUTBOX`] row into its batch and, once that is durable, hands the message over
//! here. The receiving room deletes the row in the batch that does what the message says: a
//! message without a row was taken, and so each is taken once however often it comes.
//!
//! Messages to one addressee are a line of a [`Queue`]: they go together, one group after the
//! other, and none overtakes one that failed. A bounded number of messages is held in memory. The
//! rest is read from the disk when it is their turn, and so is all that an earlier process left.

mod backlog;
mod held;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use futures::future::BoxFuture;
use storage::{Batch, ReadError, Scan, Store};

use self::backlog::Backlog;
use self::held::Held;
use crate::clock::Clock;
use crate::domain::ids::{MessageId, SellerId};
use crate::domain::messages::{Addressee, Envelope, Message};
use crate::queue::{Level, Limits, Line, Outcome, Queue, Supervisor, Trouble, read_blocking};
use crate::tables::OUTBOX;

/// The most messages that an addressee gets at once.
pub const GROUP: usize = 256;

/// Delivers messages to their room, oldest first; an error says why the room has not taken all of
/// them durably.
pub type Deliver = Arc<
    dyn Fn(Addressee, Vec<(MessageId, Message)>) -> BoxFuture<'static, Result<(), String>>
        + Send
        + Sync,
>;

impl Line for Addressee {
    fn seller(self) -> SellerId {
        Addressee::seller(self)
    }
}

/// Clones are the same outbox.
#[derive(Clone, Debug, Default)]
pub struct Outbox {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    held: Held,
    backlog: Backlog,
    /// There once it is started: rooms are made with the outbox, and it is started with the rooms.
    queue: OnceLock<Queue<Addressee>>,
}

impl Outbox {
    pub fn new() -> Self {
        Self::default()
    }

    /// Delivers what is handed over, and what is on the disk. What came before is there too.
    pub fn start(
        &self,
        store: Store,
        clock: Clock,
        limits: Limits,
        supervisor: &Supervisor,
        deliver: Deliver,
    ) {
        let (outbox, reader) = (self.clone(), store.clone());
        let act = Arc::new(move |line| {
            let (outbox, reader) = (outbox.clone(), reader.clone());
            let deliver = Arc::clone(&deliver);
            let carried = async move { outbox.carry_out(line, reader, &deliver).await };
            Box::pin(carried) as BoxFuture<'static, Outcome>
        });
        let queue = Queue::new("messages", limits, clock, act);
        if self.shared.queue.set(queue.clone()).is_err() {
            return;
        }
        supervisor.run("messages", backlog::PATIENCE, move |pulse| {
            let queue = queue.clone();
            async move { queue.tend(&pulse).await }
        });
        let outbox = self.clone();
        supervisor.run("message backlog", backlog::PATIENCE, move |pulse| {
            let (outbox, store) = (outbox.clone(), store.clone());
            async move { backlog::watch(&outbox.shared, &store, &pulse).await }
        });
    }

    #[cfg(test)]
    pub(crate) fn started(store: Store, deliver: Deliver) -> (Self, Supervisor) {
        let supervisor = Supervisor::start(crate::health::Health::default()).expect("started");
        let outbox = Self::new();
        outbox.start(store, Clock::wall(), Limits::default(), &supervisor, deliver);
        (outbox, supervisor)
    }

    /// Puts a message into a batch; [`notify`](Self::notify) it when the batch is durable.
    pub fn stage(batch: &mut Batch, id: MessageId, envelope: &Envelope) {
        batch.put_new(OUTBOX, &envelope.to.row(id), &envelope.message);
    }

    /// Hands over a message whose row is durable.
    pub fn notify(&self, id: MessageId, envelope: Envelope) {
        let Shared { held, backlog, queue } = &*self.shared;
        // Before the start, and after the stop, the row is there to be found.
        let Some(queue) = queue.get() else { return };
        let line = envelope.to;
        let mut held = held.lock();
        held.keep(line, id, envelope.message, || !backlog.is_there() && !queue.knows(line));
        if !queue.add(line) {
            held.leave(line);
            backlog.grows();
        }
    }

    /// Whether nothing waits, as far as is known.
    pub fn is_idle(&self) -> bool {
        self.level() == Level::default() && !self.shared.backlog.is_there()
    }

    pub fn level(&self) -> Level {
        self.shared.queue.get().map(Queue::level).unwrap_or_default()
    }

    /// How many messages are in memory.
    pub fn held(&self) -> usize {
        self.shared.held.lock().count()
    }

    /// The addressees that refused their messages too often, at most `limit`.
    pub fn parked(&self, limit: usize) -> Vec<(Addressee, Trouble)> {
        self.shared.queue.get().map(|queue| queue.parked(limit)).unwrap_or_default()
    }

    /// Tries the parked addressees again now; how many those are.
    pub fn retry_parked(&self) -> usize {
        self.shared.queue.get().map(Queue::retry_parked).unwrap_or_default()
    }

    /// Stops delivering; what is left stays in the outbox.
    pub fn stop(&self) {
        if let Some(queue) = self.shared.queue.get() {
            queue.stop();
        }
    }

    async fn carry_out(&self, line: Addressee, store: Store, deliver: &Deliver) -> Outcome {
        let group = match self.next_group(line, store).await {
            Ok(group) => group,
            Err(error) => {
                self.shared.held.lock().leave(line);
                return Outcome::Failed(error.to_string());
            }
        };
        let delivered = if group.is_empty() { Ok(()) } else { deliver(line, group).await };
        let mut held = self.shared.held.lock();
        match delivered {
            Ok(()) if held.ends(line) => Outcome::Done,
            Ok(()) => Outcome::More,
            Err(reason) => {
                held.leave(line);
                Outcome::Failed(reason)
            }
        }
    }

    /// From memory, else from the disk. After a failure one at a time, so that what is in order
    /// gets through to the one that is not.
    async fn next_group(
        &self,
        line: Addressee,
        store: Store,
    ) -> Result<Vec<(MessageId, Message)>, ReadError> {
        if let Some(group) = self.shared.held.lock().take(line, GROUP) {
            return Ok(group);
        }
        let failed = self.shared.queue.get().is_some_and(|queue| queue.failures(line) > 0);
        let most = if failed { 1 } else { GROUP };
        let read = move || {
            let rows = store.scan(OUTBOX, Scan::prefix(&line.key())).take(most + 1);
            let group = rows.map(|row| row.map(|((.., id), message)| (id, message)));
            group.collect::<Result<Vec<_>, ReadError>>()
        };
        let mut group = read_blocking(read).await?;
        if group.len() > most {
            group.truncate(most);
            self.shared.held.lock().leave(line);
        }
        Ok(group)
    }
}

/// The oldest message that is on its way to an addressee, and how many there are, counted up to
/// `limit`.
pub fn waiting(
    store: &Store,
    to: Addressee,
    limit: usize,
) -> Result<Option<(MessageId, Message, usize)>, ReadError> {
    let mut rows = store.scan(OUTBOX, Scan::prefix(&to.key()));
    let Some(first) = rows.next() else { return Ok(None) };
    let ((.., id), message) = first?;
    Ok(Some((id, message, 1 + rows.take(limit.saturating_sub(1)).count())))
}
