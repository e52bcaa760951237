//! Intake: uploaded files of events are stored part by part while they come, and recorded in the
//! background.
//!
//! * A [`Receiving`] splits a file into parts while it comes and puts them on disk; once all are
//!   there, the seller room accepts the upload.
//! * The uploads that are not done are the lines of a [`Queue`] and take turns. A turn records
//!   some slices of rows: each through the rooms of its contracts, then in one write of the seller
//!   room, which counts the rows and parks what was refused of them. Where too many are refused, or
//!   a sandbox account keeps as much as it may, the upload stops. While the disk is nearly full no
//!   turn begins.
//! * Parts exist exactly as long as their upload is not done, so a start goes on with what it
//!   finds, and deletes the parts of uploads that were never accepted.

mod backlog;
mod clear;
mod halt;
mod parse;
mod receiving;
#[cfg(test)]
mod tests;
mod turn;

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use dashmap::DashSet;
use futures::FutureExt;
use storage::Store;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::receiving::{ReceiveError, Receiving};
use crate::clock::Clock;
use crate::contract::Contracts;
use crate::directory::Directory;
use crate::domain::billing::usage::NewEvent;
use crate::domain::billing::usage::upload::RowFields;
use crate::domain::ids::{ContractId, SellerId, UploadId};
use crate::queue::{Act, Limits, Line, Outcome, Queue};
use crate::sandboxes::Keeping;
use crate::seller::Sellers;
use crate::system::System;
use crate::tables::ids;

/// How many uploads are recorded at once, so that most of the machine is left for requests. One
/// seller has all but one of them at most.
const AT_ONCE: usize = 3;

/// The pause of an upload that fails. No other waits for it, and it is never given up.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Makes an event of the fields of a row; the error is for the seller to read.
pub type ReadRow =
    Arc<dyn Fn(&RowFields<'_>) -> Result<(ContractId, NewEvent), String> + Send + Sync>;

/// Clones are the same intake.
#[derive(Clone)]
pub struct Intake {
    inner: Arc<Inner>,
}

struct Inner {
    store: Store,
    clock: Clock,
    directory: Directory,
    keeping: Keeping,
    sellers: Sellers,
    contracts: Contracts,
    read_row: ReadRow,
    /// How many letters a seller may have parked.
    max_letters: u64,
    queue: Queue<UploadKey>,
    /// Those that are not accepted yet: their parts are there before them.
    receiving: DashSet<UploadKey>,
    /// There may be uploads on the disk that are not done and not in the queue.
    left: AtomicBool,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Intake {
    /// Starts the recording, which goes on with the uploads that an earlier run left. Must be
    /// called on a tokio runtime.
    pub fn start(system: &System, clock: Clock, read_row: ReadRow, max_letters: u64) -> Self {
        let limits = Limits {
            places: AT_ONCE,
            first_pause: FIRST_PAUSE,
            park_after: u32::MAX,
            ..Limits::default()
        };
        let inner = Arc::new_cyclic(|inner| Inner {
            store: system.store.clone(),
            clock: clock.clone(),
            directory: system.directory.clone(),
            keeping: system.keeping.clone(),
            sellers: system.sellers.clone(),
            contracts: system.contracts.clone(),
            read_row,
            max_letters,
            queue: Queue::new("uploads", limits, clock, act(inner.clone())),
            receiving: DashSet::new(),
            left: AtomicBool::new(false),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        // Where another intake has started before, that one is told of.
        let _ = system.background.uploads.set(inner.queue.clone());
        let intake = Self { inner };
        backlog::start(&intake.inner, &system.background.supervisor);
        intake
    }

    pub fn receive(&self, seller: SellerId) -> Receiving {
        let id = UploadId(self.inner.store.next_id_in(ids::UPLOAD, seller.shard()));
        Receiving::new(Arc::clone(&self.inner), seller, id)
    }

    /// Returns once the parts under way are recorded; the rest is recorded after the next start.
    pub async fn stop(&self) {
        self.inner.queue.stop();
        self.inner.stop.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }
}

impl Inner {
    fn enqueue(&self, upload: UploadKey) {
        if !self.queue.add(upload) {
            self.left.store(true, Ordering::Release);
        }
    }
}

type UploadKey = (SellerId, UploadId);

impl Line for UploadKey {
    fn seller(self) -> SellerId {
        self.0
    }
}

/// Gives an upload its turn. The queue belongs to what it works with, and does not keep it.
fn act(inner: Weak<Inner>) -> Act<UploadKey> {
    Arc::new(move |(seller, upload)| {
        let Some(inner) = inner.upgrade() else { return async { Outcome::Done }.boxed() };
        let tasks = inner.tasks.clone();
        let turn = async move {
            halt::rested(&inner).await;
            match turn::take(&inner, seller, upload).await {
                Ok(true) => Outcome::Done,
                Ok(false) => Outcome::More,
                Err(error) => Outcome::Failed(error.to_string()),
            }
        };
        tasks.track_future(turn).boxed()
    })
}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Intake")
    }
}
