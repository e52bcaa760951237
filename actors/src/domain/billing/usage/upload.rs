//! Uploads: a file of events, taken in while it comes and recorded behind.

pub mod mapping;
mod part;
mod row;
mod split;
mod window;

use storage::CborRecord;

pub use mapping::{Mapping, MappingDraft, MappingRefusal};
pub use part::{MAX_PART_BYTES, MAX_PART_ROWS, MAX_ROW_BYTES, UploadPart};
pub use row::{RowFault, RowFields, fields};
pub use split::{SplitFault, Splitter};
pub use window::{Window, WindowOutcome};

use crate::domain::ids::UploadId;
use crate::domain::names::names;
use crate::domain::time::Timestamp;

names! {
    UploadStatus;
    0 Processing = "processing",
    /// Every row is recorded, known before, or parked.
    1 Done = "done",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Upload {
    #[n(0)]
    pub id: UploadId,
    #[n(1)]
    pub mapping: Mapping,
    /// Rows of the file, without the header.
    #[n(2)]
    pub rows: u64,
    #[n(3)]
    pub parts: u32,
    /// The first part that is not done.
    #[n(4)]
    pub next_part: u32,
    #[n(5)]
    pub ingested: u64,
    /// Rows whose key and payload were known before.
    #[n(6)]
    pub duplicates: u64,
    #[n(7)]
    pub parked: u64,
    #[n(8)]
    pub created_at: Timestamp,
    #[n(9)]
    pub done_at: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Tally {
    #[n(0)]
    pub ingested: u64,
    #[n(1)]
    pub duplicates: u64,
    #[n(2)]
    pub parked: u64,
}

impl Upload {
    /// An upload that is on disk as a whole; one without rows is done.
    pub fn new(id: UploadId, mapping: Mapping, rows: u64, parts: u32, now: Timestamp) -> Self {
        Self {
            id,
            mapping,
            rows,
            parts,
            next_part: 0,
            ingested: 0,
            duplicates: 0,
            parked: 0,
            created_at: now,
            done_at: (parts == 0).then_some(now),
        }
    }

    pub fn status(&self) -> UploadStatus {
        if self.next_part >= self.parts { UploadStatus::Done } else { UploadStatus::Processing }
    }

    /// The upload behind its `part`; `None` when that part was counted before, or another one
    /// comes first.
    pub fn advanced(&self, part: u32, tally: Tally, now: Timestamp) -> Option<Self> {
        if part != self.next_part || self.status() == UploadStatus::Done {
            return None;
        }
        let mut next = self.clone();
        next.next_part += 1;
        next.ingested += tally.ingested;
        next.duplicates += tally.duplicates;
        next.parked += tally.parked;
        next.done_at = (next.status() == UploadStatus::Done).then_some(now);
        Some(next)
    }
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.ingested += other.ingested;
        self.duplicates += other.duplicates;
        self.parked += other.parked;
    }
}

impl CborRecord for Upload {}

#[cfg(test)]
mod tests;
