//! What a room works with: reads, the clock, and its own lane of commits.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use storage::{Batch, Claimed, CommitError, IdKind, Lane, Receipt, Store};

use super::{Reply, Room, rooms::Slot};
use crate::clock::Clock;
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;

/// How many batches of one room were handed in, and how many of them were answered.
#[derive(Debug, Default)]
pub struct Flight {
    submitted: AtomicU64,
    answered: AtomicU64,
}

impl Flight {
    /// Whether every batch handed in was answered.
    pub fn is_landed(&self) -> bool {
        self.answered.load(Ordering::Acquire) >= self.submitted.load(Ordering::Acquire)
    }
}

/// Why a room's batch was refused by the store, where the room can tell the caller.
#[derive(Clone, Debug)]
pub enum Refused {
    /// A claim did not hold: somebody else was first.
    Claimed(Claimed),
    /// The store can no longer write.
    Failed(String),
}

/// A room's own place at the store.
pub struct Desk<R: Room> {
    pub(super) store: Store,
    pub(super) clock: Clock,
    pub(super) tools: Arc<R::Tools>,
    pub(super) lane: Lane,
    pub(super) slot: Arc<Slot>,
}

impl<R: Room> Desk<R> {
    /// The wall clock's present instant.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Random bytes.
    pub fn entropy(&self) -> Entropy {
        Entropy
    }

    /// The committed rows.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// What all rooms of this kind share.
    pub fn tools(&self) -> &R::Tools {
        &self.tools
    }

    /// The next id of a kind.
    pub fn next_id(&self, kind: IdKind) -> u64 {
        self.store.next_id(kind)
    }

    /// How many batches this room has handed in so far.
    pub fn submitted(&self) -> u64 {
        self.slot.flight.submitted.load(Ordering::Acquire)
    }

    /// How many of them are answered; they are answered in order.
    pub fn answered(&self) -> u64 {
        self.slot.flight.answered.load(Ordering::Acquire)
    }

    /// Ends this room once its batches have landed: its next command goes to a successor that
    /// reads the rows anew. For a room that wrote rows which it does not know itself.
    pub fn retire(&self) {
        self.slot.doom();
    }

    /// Hands in a batch and goes on at once. `answer` runs when the batch is durable, or
    /// refused; it must be quick. When a batch is refused the room ends, since its memory ran
    /// ahead of the disk, and its successor starts from the committed rows.
    pub fn commit<T: Send + 'static>(
        &self,
        mut batch: Batch,
        reply: Reply<T>,
        answer: impl FnOnce(Result<Receipt, Refused>) -> T + Send + 'static,
    ) {
        batch.lane(&self.lane);
        let slot = Arc::clone(&self.slot);
        slot.flight.submitted.fetch_add(1, Ordering::AcqRel);
        self.store.commit(batch, move |result| {
            match result {
                Ok(receipt) => reply.send(answer(Ok(receipt))),
                Err(CommitError::LaneBroken) => reply.start_again(),
                Err(error) => {
                    slot.doom();
                    reply.send(answer(Err(refused(error))));
                }
            }
            slot.flight.answered.fetch_add(1, Ordering::AcqRel);
        });
    }
}

fn refused(error: CommitError) -> Refused {
    match error {
        CommitError::Claimed(claimed) => Refused::Claimed(claimed),
        other => Refused::Failed(other.to_string()),
    }
}
