//! Carries messages between rooms: at least once, from rows that are written with their cause.
//!
//! A room puts an [`OUTBOX`] row into its batch and, once that is durable, hands the message over
//! here. The receiving room writes a [`TAKEN`] row with what the message does to it, and
//! so takes it once however often it comes. When it has answered, the outbox removes both rows.
//! After a crash the rows that are left are carried again. Messages to one payee, of which a busy
//! seller's own money gets thousands a second, travel in bundles, one after the other.

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
use crate::domain::messages::{ContractMessage, Envelope, Letter, PayeeMessage};
use crate::tables::{OUTBOX, TAKEN};

/// The most messages that are brought to a payee at once.
pub const BUNDLE: usize = 256;
/// How many bundles are under way at once.
const AT_ONCE: usize = 256;
/// The first pause before messages are carried again; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// What is brought to one room at once.
#[derive(Clone, Debug)]
pub enum Bundle {
    /// A message to a contract.
    Contract(SellerId, ContractId, MessageId, ContractMessage),
    /// Messages to a payee, at most [`BUNDLE`], oldest first.
    Payee(SellerId, PayeeId, Vec<(MessageId, PayeeMessage)>),
}

/// Brings messages to their room; true when the room has taken all of them durably.
pub type Carry = Arc<dyn Fn(Bundle) -> BoxFuture<'static, bool> + Send + Sync>;

/// The handle to the outbox. Clones are the same.
#[derive(Clone, Debug)]
pub struct Outbox {
    queue: mpsc::UnboundedSender<(MessageId, Envelope)>,
    waiting: Arc<AtomicUsize>,
    stop: CancellationToken,
}

/// Messages that wait for the outbox to be started.
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

    /// Carries what comes into the queue, beginning with what an earlier process left.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn start(&self, queue: Queue, store: Store, carry: Carry) -> Result<(), ReadError> {
        for row in store.scan(OUTBOX, Scan::all()) {
            let (id, envelope) = row?;
            self.notify(id, envelope);
        }
        tokio::spawn(round(store, carry, queue.0, self.waiting.clone(), self.stop.clone()));
        Ok(())
    }

    /// An outbox that runs at once.
    #[cfg(test)]
    pub(crate) fn started(store: Store, carry: Carry) -> Self {
        let (outbox, queue) = Self::new();
        outbox.start(queue, store, carry).expect("the outbox starts");
        outbox
    }

    /// Puts a message into a batch; [`notify`](Self::notify) it when the batch is durable.
    pub fn stage(batch: &mut Batch, id: MessageId, envelope: &Envelope) {
        batch.put(OUTBOX, &id, envelope);
    }

    /// Hands over a message whose row is durable.
    pub fn notify(&self, id: MessageId, envelope: Envelope) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        // A stopped outbox takes nothing; the row is carried after the next start.
        let _ = self.queue.send((id, envelope));
    }

    /// Messages handed over and not yet taken by their rooms.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Acquire)
    }

    /// Stops carrying; what is left stays in the outbox.
    pub fn stop(&self) {
        self.stop.cancel();
    }
}

/// Letters of one payee, in the order in which they came. While one bundle of them is under way
/// the next gathers: each is one write of the payee's room.
type Line = (SellerId, PayeeId);

/// What gathers in the lines that a bundle is under way of.
type Lines = HashMap<Line, VecDeque<(MessageId, PayeeMessage)>>;

/// What the rounds work with.
struct Route {
    store: Store,
    carry: Carry,
    waiting: Arc<AtomicUsize>,
    stop: CancellationToken,
    places: Arc<Semaphore>,
    landed: mpsc::UnboundedSender<Line>,
}

async fn round(
    store: Store,
    carry: Carry,
    mut letters: mpsc::UnboundedReceiver<(MessageId, Envelope)>,
    waiting: Arc<AtomicUsize>,
    stop: CancellationToken,
) {
    let (landed, mut landings) = mpsc::unbounded_channel();
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let route = Arc::new(Route { store, carry, waiting, stop, places, landed });
    let mut lines = Lines::new();
    loop {
        let bundle = tokio::select! {
            () = route.stop.cancelled() => return,
            letter = letters.recv() => {
                let Some((id, envelope)) = letter else { return };
                gather(&mut lines, id, envelope)
            }
            // The route holds the other end.
            Some(line) = landings.recv() => next_of(&mut lines, line),
        };
        let Some(bundle) = bundle else { continue };
        let Ok(place) = Arc::clone(&route.places).acquire_owned().await else { return };
        tokio::spawn(bring(Arc::clone(&route), bundle, place));
    }
}

/// The bundle to be brought at once, if the letter does not join a line.
fn gather(lines: &mut Lines, id: MessageId, envelope: Envelope) -> Option<Bundle> {
    let Envelope { seller, letter } = envelope;
    let (payee, message) = match letter {
        Letter::Contract(contract, message) => {
            return Some(Bundle::Contract(seller, contract, id, message));
        }
        Letter::Payee(payee, message) => (payee, message),
    };
    match lines.entry((seller, payee)) {
        Entry::Occupied(mut line) => {
            line.get_mut().push_back((id, message));
            None
        }
        Entry::Vacant(line) => {
            line.insert(VecDeque::new());
            Some(Bundle::Payee(seller, payee, vec![(id, message)]))
        }
    }
}

/// What has gathered while the last bundle of a line was under way.
fn next_of(lines: &mut Lines, line: Line) -> Option<Bundle> {
    let gathered = lines.get_mut(&line)?;
    if gathered.is_empty() {
        lines.remove(&line);
        return None;
    }
    let next = gathered.drain(..gathered.len().min(BUNDLE)).collect();
    Some(Bundle::Payee(line.0, line.1, next))
}

/// Carries a bundle until it is taken, and removes its rows.
async fn bring(route: Arc<Route>, bundle: Bundle, place: OwnedSemaphorePermit) {
    tokio::select! {
        () = route.stop.cancelled() => return,
        () = until_taken(&route.carry, &bundle) => {}
    }
    let mut batch = Batch::new();
    let ids = bundle.ids();
    for id in &ids {
        batch.delete(OUTBOX, id);
        batch.delete(TAKEN, &(bundle.seller(), *id));
    }
    route.store.commit(batch, |_| {});
    route.waiting.fetch_sub(ids.len(), Ordering::AcqRel);
    if let Bundle::Payee(seller, payee, _) = bundle {
        // Nobody listens once the outbox has stopped.
        let _ = route.landed.send((seller, payee));
    }
    drop(place);
}

async fn until_taken(carry: &Carry, bundle: &Bundle) {
    let mut pause = FIRST_PAUSE;
    while !carry(bundle.clone()).await {
        let messages = bundle.ids();
        tracing::warn!(?messages, "messages between rooms were not taken; they will come again");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

impl Bundle {
    fn seller(&self) -> SellerId {
        match self {
            Self::Contract(seller, ..) | Self::Payee(seller, ..) => *seller,
        }
    }

    fn ids(&self) -> Vec<MessageId> {
        match self {
            Self::Contract(_, _, id, _) => vec![*id],
            Self::Payee(_, _, letters) => letters.iter().map(|(id, _)| *id).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
