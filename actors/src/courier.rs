//! Carries messages between rooms: at least once, from rows that are written with their cause.
//!
//! A room puts an [`OUTBOX`] row into its batch and, once that is durable, hands the message to
//! the courier. The receiving room writes a [`TAKEN`] row with what the message does to it, and
//! so takes it once however often it comes. When it has answered, the courier removes both rows.
//! After a crash the rows that are left are carried again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use storage::{Batch, ReadError, Scan, Store};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use crate::domain::ids::MessageId;
use crate::domain::messages::Envelope;
use crate::tables::{OUTBOX, TAKEN};

/// How many messages are under way at once.
const AT_ONCE: usize = 256;
/// The first pause before a message is carried again; it doubles up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Brings one message to its room; true when the room has taken it durably.
pub type Carry = Arc<dyn Fn(MessageId, Envelope) -> BoxFuture<'static, bool> + Send + Sync>;

/// The handle to the courier. Clones are the same courier.
#[derive(Clone, Debug)]
pub struct Courier {
    bag: mpsc::UnboundedSender<(MessageId, Envelope)>,
    waiting: Arc<AtomicUsize>,
    stop: CancellationToken,
}

impl Courier {
    /// Starts the courier and hands it what an earlier process left in the outbox.
    ///
    /// # Errors
    /// When the outbox cannot be read.
    pub fn start(store: Store, carry: Carry) -> Result<Self, ReadError> {
        let (bag, letters) = mpsc::unbounded_channel();
        let courier = Self { bag, waiting: Arc::default(), stop: CancellationToken::new() };
        for row in store.scan(OUTBOX, Scan::all()) {
            let (id, envelope) = row?;
            courier.notify(id, envelope);
        }
        tokio::spawn(round(store, carry, letters, courier.waiting.clone(), courier.stop.clone()));
        Ok(courier)
    }

    /// Puts a message into a batch; [`notify`](Self::notify) it when the batch is durable.
    pub fn stage(batch: &mut Batch, id: MessageId, envelope: &Envelope) {
        batch.put(OUTBOX, &id, envelope);
    }

    /// Hands over a message whose row is durable.
    pub fn notify(&self, id: MessageId, envelope: Envelope) {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        // A stopped courier takes nothing; the row is carried after the next start.
        let _ = self.bag.send((id, envelope));
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

async fn round(
    store: Store,
    carry: Carry,
    mut letters: mpsc::UnboundedReceiver<(MessageId, Envelope)>,
    waiting: Arc<AtomicUsize>,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let letter = tokio::select! {
            () = stop.cancelled() => return,
            letter = letters.recv() => letter,
        };
        let Some((id, envelope)) = letter else { return };
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let (store, carry, waiting, stop) =
            (store.clone(), Arc::clone(&carry), Arc::clone(&waiting), stop.clone());
        tokio::spawn(async move {
            let delivered = tokio::select! {
                () = stop.cancelled() => false,
                () = until_taken(&carry, id, &envelope) => true,
            };
            if delivered {
                let mut batch = Batch::new();
                batch.delete(OUTBOX, &id);
                batch.delete(TAKEN, &(envelope.seller, id));
                store.commit(batch, |_| {});
                waiting.fetch_sub(1, Ordering::AcqRel);
            }
            drop(place);
        });
    }
}

async fn until_taken(carry: &Carry, id: MessageId, envelope: &Envelope) {
    let mut pause = FIRST_PAUSE;
    while !carry(id, envelope.clone()).await {
        tracing::warn!(message = id.0, "a message between rooms was not taken; it will come again");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
