//! Messages on the disk of which no line is known: those of an earlier process, and those for which
//! there was no room. They are found by a walk over addressees, one step for each.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use storage::{ReadError, Scan, Store};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::Shared;
use crate::domain::ids::SellerId;
use crate::domain::messages::Addressee;
use crate::queue::{BEAT, Pulse, Queue, read_blocking};
use crate::tables::OUTBOX;

/// How long a worker of the outbox may be silent.
pub(super) const PATIENCE: Duration = Duration::from_secs(15);

/// How many addressees a walk finds before it beats and looks for room again.
const STRIDE: usize = 256;
/// How often all that is on the disk is walked over, whatever is known.
const WALK_EVERY: Duration = Duration::from_secs(60);
/// How long a walk waits for room.
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(super) struct Backlog {
    /// How often messages were left on the disk; of the first start, once.
    grown: AtomicU64,
    /// Up to which of these times a walk has found all that was left.
    walked: AtomicU64,
    changed: Notify,
}

impl Default for Backlog {
    fn default() -> Self {
        Self { grown: AtomicU64::new(1), walked: AtomicU64::new(0), changed: Notify::new() }
    }
}

impl Backlog {
    /// Whether there may be messages whose line nobody knows.
    pub(super) fn is_there(&self) -> bool {
        self.walked.load(Ordering::Acquire) < self.grown.load(Ordering::Acquire)
    }

    pub(super) fn grows(&self) {
        self.grown.fetch_add(1, Ordering::AcqRel);
        self.changed.notify_one();
    }
}

/// Walks over what is on the disk whenever something was left there.
pub(super) async fn watch(shared: &Shared, store: &Store, pulse: &Pulse) {
    let Some(queue) = shared.queue.get() else { return };
    let mut walked = Instant::now();
    while !queue.is_stopped() {
        pulse.beat();
        if queue.has_forgotten() {
            shared.backlog.grows();
        }
        // Nobody may know of a message whose sender fell in the moment of handing it over.
        if walked.elapsed() > WALK_EVERY {
            walked = Instant::now();
            shared.backlog.grows();
        }
        if shared.backlog.is_there() {
            let grown = shared.backlog.grown.load(Ordering::Acquire);
            match walk(queue, store, pulse).await {
                Ok(()) => shared.backlog.walked.store(grown, Ordering::Release),
                Err(error) => tracing::error!(%error, "messages on their way cannot be read"),
            }
        }
        // A new walk begins after a while at the soonest: what was left behind may be so again.
        tokio::time::sleep(PAUSE).await;
        if !shared.backlog.is_there() {
            let _ = tokio::time::timeout(BEAT, shared.backlog.changed.notified()).await;
        }
    }
}

async fn walk(queue: &Queue<Addressee>, store: &Store, pulse: &Pulse) -> Result<(), ReadError> {
    let mut after = None;
    loop {
        pulse.beat();
        if queue.room() < STRIDE {
            tokio::time::sleep(PAUSE).await;
            continue;
        }
        let reader = store.clone();
        let (found, last) = read_blocking(move || addressees(&reader, after)).await?;
        for line in found {
            queue.add(line);
        }
        match last {
            Some(last) => after = Some(last),
            None => return Ok(()),
        }
    }
}

type LineKey = (SellerId, u8, u64);

/// The next addressees with messages, and behind which key to go on.
fn addressees(
    store: &Store,
    after: Option<LineKey>,
) -> Result<(Vec<Addressee>, Option<LineKey>), ReadError> {
    let (mut found, mut last) = (Vec::new(), after);
    for _ in 0..STRIDE {
        let range = last.map_or_else(Scan::all, |last| Scan::all().after(&last));
        let Some(key) = first_key(store, range)? else { return Ok((found, None)) };
        match Addressee::of_key(key) {
            Some(line) => found.push(line),
            None => tracing::error!(seller = key.0.0, room = key.1, "messages for no known room"),
        }
        last = Some(key);
    }
    Ok((found, last))
}

/// Passes over rows that are damaged: the rest must not wait for them.
fn first_key(store: &Store, range: Scan) -> Result<Option<LineKey>, ReadError> {
    for row in store.scan(OUTBOX, range) {
        match row {
            Ok(((seller, room, object, _), _)) => return Ok(Some((seller, room, object))),
            Err(error @ (ReadError::Failed(_) | ReadError::Closed)) => return Err(error),
            Err(error) => tracing::error!(%error, "a message on its way cannot be read"),
        }
    }
    Ok(None)
}
