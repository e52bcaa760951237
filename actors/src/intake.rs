//! Intake: uploaded files of events are stored part by part while they come, and recorded in the
//! background.
//!
//! * A [`Receiving`] splits a file into parts while it comes and puts them on disk; once all are
//!   there, the seller room accepts the upload.
//! * A small [`pool`] of workers takes turns over the uploads that are not done. A turn records
//!   some slices of rows: each through the rooms of its contracts, then in one write of the seller
//!   room, which counts the rows and parks what was refused of them. Where too many are refused the
//!   upload stops.
//! * Parts exist exactly as long as their upload is not done, so a start goes on with what it
//!   finds, and deletes the parts of uploads that were never accepted.

mod clear;
mod parse;
mod pool;
mod receiving;
mod turn;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use storage::Store;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use self::receiving::{ReceiveError, Receiving};
use crate::clock::Clock;
use crate::contract::Contracts;
use crate::domain::billing::usage::NewEvent;
use crate::domain::billing::usage::upload::RowFields;
use crate::domain::ids::{ContractId, SellerId, UploadId};
use crate::seller::Sellers;
use crate::tables::ids;

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
    sellers: Sellers,
    contracts: Contracts,
    read_row: ReadRow,
    /// How many letters a seller may have parked.
    max_letters: u64,
    /// Uploads that are not done, each once, in the order of their turns.
    waiting: Mutex<VecDeque<(SellerId, UploadId)>>,
    work: Notify,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl Intake {
    /// Starts the workers, which go on with the uploads that an earlier run left. Must be called on
    /// a tokio runtime.
    pub fn start(
        store: Store,
        clock: Clock,
        sellers: Sellers,
        contracts: Contracts,
        read_row: ReadRow,
        max_letters: u64,
    ) -> Self {
        let inner = Arc::new(Inner {
            store,
            clock,
            sellers,
            contracts,
            read_row,
            max_letters,
            waiting: Mutex::default(),
            work: Notify::new(),
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
        });
        // Ids rise over all starts: uploads of this run are not taken for those of an earlier one.
        let intake = Self { inner };
        pool::start(&intake.inner, intake.draw());
        intake
    }

    fn draw(&self) -> UploadId {
        UploadId(self.inner.store.next_id(ids::UPLOAD))
    }

    pub fn receive(&self, seller: SellerId) -> Receiving {
        Receiving::new(Arc::clone(&self.inner), seller, self.draw())
    }

    /// Returns once the parts under way are recorded; the rest is recorded after the next start.
    pub async fn stop(&self) {
        self.inner.stop.cancel();
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
    }
}

impl Inner {
    fn enqueue(&self, seller: SellerId, upload: UploadId) {
        self.waiting.lock().push_back((seller, upload));
        self.work.notify_one();
    }
}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Intake")
    }
}
