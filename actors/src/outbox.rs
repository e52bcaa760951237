//! Delivers messages between rooms: at least once, from rows that are written with their cause.
//!
//! A room puts an [`OUTBOX`] row into its batch and, once that is durable, hands the message over
//! here. The receiving room writes a [`TAKEN`] row with what the message does to it, and
//! so takes it once however often it comes. When it has answered, the outbox removes both rows.
//! After a crash the rows that are left are delivered again. Messages to one payee go together, one
//! group after the other.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use storage::{Batch, ReadError, Scan, Store};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::domain::ids::{ContractId, MessageId, PayeeId, SellerId};
use crate::domain::messages::{Addressed, ContractMessage, Envelope, PayeeMessage};
use crate::tables::{OUTBOX, TAKEN};

/// The most messages that a payee gets at once.
pub const GROUP: usize = 256;
/// How many groups are under way at once.
const AT_ONCE: usize = 256;
/// The first pause before messages are delivered again; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

#[derive(Clone, Debug)]
pub enum Group {
    Contract(SellerId, ContractId, MessageId, ContractMessage),
    /// Messages to a payee, at most [`GROUP`], oldest first.
    Payee(SellerId, PayeeId, Vec<(MessageId, PayeeMessage)>),
}

/// Delivers messages to their room; true when the room has taken all of them durably.
pub type Deliver = Arc<dyn Fn(Group) -> BoxFuture<'static, bool> + Send + Sync>;

#[derive(Clone, Debug)]
pub struct Outbox {
    queue: mpsc::UnboundedSender<(MessageId, Envelope)>,
    waiting: Arc<AtomicUsize>,
    stop: CancellationToken,
}

#[derive(Debug)]
pub struct Queue(mpsc::UnboundedReceiver<(MessageId, Envelope)>);

impl Outbox {
    /// An outbox that takes messages, and the queue in which they wait until it is
    /// [started](Self::start): rooms are made with the outbox, and it is started with the rooms.
    pub fn new() -> (Self, Queue) {
        let (queue, messages) = mpsc::unbounded_channel();
        let outbox = Self { queue, waiting: Arc::default(), stop: CancellationToken::new() };
        (outbox, Queue(messages))
    }

    /// Delivers what comes into the queue, beginning with what an earlier process left.
    pub fn start(&self, queue: Queue, store: Store, deliver: Deliver) -> Result<(), ReadError> {
        for row in store.scan(OUTBOX, Scan::all()) {
            let (id, envelope) = row?;
            self.notify(id, envelope);
        }
        tokio::spawn(run(store, deliver, queue.0, self.waiting.clone(), self.stop.clone()));
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn started(store: Store, deliver: Deliver) -> Self {
        let (outbox, queue) = Self::new();
        outbox.start(queue, store, deliver).expect("the outbox starts");
        outbox
    }

    /// Puts a message into a batch; [`notify`](Self::notify) it when the batch is durable.
    pub fn stage(batch: &mut Batch, id: MessageId, envelope: &Envelope) {
        batch.put(OUTBOX, &id, envelope);
    }

    /// Hands over a message whose row is durable.
    pub fn notify(&self, id: MessageId, envelope: Envelope) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        // A stopped outbox takes nothing; the row is delivered after the next start.
        let _ = self.queue.send((id, envelope));
    }

    /// Messages handed over and not yet taken by their rooms.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }

    /// Stops delivering; what is left stays in the outbox.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

/// Messages to one payee, in the order in which they came. While one group of them is under way
/// the next gathers: each is one write of the payee's room.
type Addressee = (SellerId, PayeeId);

type Lines = HashMap<Addressee, VecDeque<(MessageId, PayeeMessage)>>;

struct Worker {
    store: Store,
    deliver: Deliver,
    waiting: Arc<AtomicUsize>,
    stop: CancellationToken,
    places: Arc<Semaphore>,
    landed: mpsc::UnboundedSender<Addressee>,
}

async fn run(
    store: Store,
    deliver: Deliver,
    mut messages: mpsc::UnboundedReceiver<(MessageId, Envelope)>,
    waiting: Arc<AtomicUsize>,
    stop: CancellationToken,
) {
    let (landed, mut landings) = mpsc::unbounded_channel();
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let worker = Arc::new(Worker { store, deliver, waiting, stop, places, landed });
    let mut lines = Lines::new();
    loop {
        let group = tokio::select! {
            () = worker.stop.cancelled() => return,
            message = messages.recv() => {
                let Some((id, envelope)) = message else { return };
                gather(&mut lines, id, envelope)
            }
            // The worker holds the other end.
            Some(line) = landings.recv() => next_of(&mut lines, line),
        };
        let Some(group) = group else { continue };
        let Ok(place) = Arc::clone(&worker.places).acquire_owned().await else { return };
        tokio::spawn(deliver_group(Arc::clone(&worker), group, place));
    }
}

/// The group to be brought at once, if the message does not join a line.
fn gather(lines: &mut Lines, id: MessageId, envelope: Envelope) -> Option<Group> {
    let (payee, message) = match envelope.to {
        Addressed::Contract(contract, message) => {
            return Some(Group::Contract(envelope.seller, contract, id, message));
        }
        Addressed::Payee(payee, message) => (payee, message),
    };
    let seller = envelope.seller;
    match lines.entry((seller, payee)) {
        Entry::Occupied(mut line) => {
            line.get_mut().push_back((id, message));
            None
        }
        Entry::Vacant(line) => {
            line.insert(VecDeque::new());
            Some(Group::Payee(seller, payee, vec![(id, message)]))
        }
    }
}

/// What has gathered while the last group of a line was under way.
fn next_of(lines: &mut Lines, line: Addressee) -> Option<Group> {
    let gathered = lines.get_mut(&line)?;
    if gathered.is_empty() {
        lines.remove(&line);
        return None;
    }
    let next = gathered.drain(..gathered.len().min(GROUP)).collect();
    Some(Group::Payee(line.0, line.1, next))
}

/// Delivers a group until it is taken, and removes its rows.
async fn deliver_group(worker: Arc<Worker>, group: Group, place: OwnedSemaphorePermit) {
    tokio::select! {
        () = worker.stop.cancelled() => return,
        () = until_taken(&worker.deliver, &group) => {}
    }
    let mut batch = Batch::new();
    let ids = group.ids();
    for id in &ids {
        batch.delete(OUTBOX, id);
        batch.delete(TAKEN, &(group.seller(), *id));
    }
    worker.store.commit(batch, |_| {});
    worker.waiting.fetch_sub(ids.len(), Ordering::AcqRel);
    if let Group::Payee(seller, payee, _) = group {
        // Nobody listens once the outbox has stopped.
        let _ = worker.landed.send((seller, payee));
    }
    drop(place);
}

async fn until_taken(deliver: &Deliver, group: &Group) {
    let mut pause = FIRST_PAUSE;
    while !deliver(group.clone()).await {
        let messages = group.ids();
        let seller = group.seller().0;
        tracing::warn!(
            seller,
            ?messages,
            "messages between rooms were not taken; they will come again"
        );
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

impl Group {
    fn seller(&self) -> SellerId {
        match self {
            Self::Contract(seller, ..) | Self::Payee(seller, ..) => *seller,
        }
    }

    fn ids(&self) -> Vec<MessageId> {
        match self {
            Self::Contract(_, _, id, _) => vec![*id],
            Self::Payee(_, _, messages) => messages.iter().map(|(id, _)| *id).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
