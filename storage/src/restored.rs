//! What a store knows of having been restored: its epoch, and whether it still holds back what
//! works by itself.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use minicbor::{Decode, Encode};

use crate::batch::Batch;
use crate::engine::journaled::Journaled;
use crate::error::{CommitError, ReadError};
use crate::record::{self, Record, RecordError, cbor_decode, cbor_encode};
use crate::store::Store;
use crate::table::RESTORED_TAG;

const TABLE: &str = "the restored store";

#[derive(Clone, Copy, Debug, Encode, Decode)]
struct Row {
    #[n(0)]
    epoch: u64,
    #[n(1)]
    is_held: bool,
}

impl Record for Row {
    /// Programs from before shards know 1, and refuse a folder whose row has more: they would find
    /// nothing in it.
    const VERSION: u8 = 2;

    fn encode(&self) -> Vec<u8> {
        cbor_encode(self)
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        cbor_decode(bytes)
    }
}

#[derive(Debug)]
pub(crate) struct Restored {
    /// 0 for a store that was never restored.
    epoch: AtomicU64,
    is_held: AtomicBool,
}

impl Restored {
    pub(crate) fn read(engine: &Journaled) -> Result<Self, ReadError> {
        let row = match engine.get(&key())? {
            Some(row) => record::unseal(TABLE, &key(), &row)?,
            None => Row { epoch: 0, is_held: false },
        };
        Ok(Self { epoch: AtomicU64::new(row.epoch), is_held: AtomicBool::new(row.is_held) })
    }

    fn set(&self, row: Row) {
        self.epoch.store(row.epoch, Ordering::Release);
        self.is_held.store(row.is_held, Ordering::Release);
    }
}

impl Store {
    /// Which of the lives of this store this is; `None` for one that was never restored. It grows
    /// with each restore, also with two of the same backup: numbers that were given out after what
    /// was restored are given out again, and the epoch tells them apart.
    pub fn epoch(&self) -> Option<u64> {
        let epoch = self.shared().restored.epoch.load(Ordering::Acquire);
        (epoch > 0).then_some(epoch)
    }

    /// Whether the store was restored and nobody has said yet that it is the one to go on with.
    pub fn is_held(&self) -> bool {
        self.shared().restored.is_held.load(Ordering::Acquire)
    }

    /// Whether what works by itself is to rest: the disk is nearly full, or the store is held.
    pub fn rests(&self) -> bool {
        self.is_held() || self.free_space().is_low()
    }

    /// Ends the hold. Blocks until that is durable; whether there was one.
    pub fn resume(&self) -> Result<bool, CommitError> {
        let was_held = self.is_held();
        if let Some(epoch) = self.epoch().filter(|_| was_held) {
            self.note_restored(Row { epoch, is_held: false })?;
        }
        Ok(was_held)
    }

    /// Begins a new epoch, held.
    pub(crate) fn begin_epoch(&self) -> Result<(), CommitError> {
        let read = self.shared().with_engine(|engine| (Restored::read(engine), engine.now()));
        let failed = |error: ReadError| CommitError::Failed(error.to_string());
        let (before, now) = read.map_err(failed)?;
        // The second, so that two restores of one backup differ.
        let epoch = (now / 1_000_000).max(before.map_err(failed)?.epoch.into_inner() + 1);
        self.note_restored(Row { epoch, is_held: true })
    }

    /// Has programs from before shards refuse the folder from now on.
    pub(crate) fn shut_out_older(&self) -> Result<(), CommitError> {
        let (epoch, is_held) = (self.epoch().unwrap_or(0), self.is_held());
        self.note_restored(Row { epoch, is_held })
    }

    fn note_restored(&self, row: Row) -> Result<(), CommitError> {
        let mut batch = Batch::new();
        batch.put_raw(key(), record::seal(&key(), &row));
        self.write_blocking(batch)?;
        self.shared().restored.set(row);
        Ok(())
    }
}

fn key() -> Vec<u8> {
    RESTORED_TAG.to_be_bytes().to_vec()
}
