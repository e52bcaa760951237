//! Uploads: a file of events, taken in while it comes and recorded behind.

mod delimiter;
mod large;
pub mod mapping;
mod part;
mod progress;
mod quotes;
mod row;
mod split;
mod window;

use storage::CborRecord;

pub use large::LargeRow;
pub use mapping::{Mapping, MappingDraft, MappingRefusal};
pub use part::{MAX_PART_BYTES, MAX_PART_ROWS, MAX_ROW_BYTES, UploadPart};
pub use progress::{Fared, MAX_REFUSED, MAX_REFUSED_RUN, TOO_MANY_LETTERS};
pub use quotes::Quotes;
pub use row::{RowFault, RowFields, fields};
pub use split::{Header, SplitFault, Splitter};
pub use window::{Window, WindowOutcome};

use crate::domain::ids::UploadId;
use crate::domain::names::names;
use crate::domain::time::Timestamp;

names! {
    UploadStatus;
    0 Processing = "processing",
    /// Every row is recorded, known before, or parked.
    1 Done = "done",
    /// Too many rows were refused, or nothing more may be kept. What was recorded before that
    /// stays.
    2 Stopped = "stopped",
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
    /// When it was done, or stopped.
    #[n(9)]
    pub done_at: Option<Timestamp>,
    /// The first row that is not done, counted from 1.
    #[n(10)]
    pub next_row: u64,
    /// How many rows before that were refused one after the other.
    #[n(11)]
    pub refused_run: u64,
    #[n(12)]
    pub stopped: Option<Stopped>,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Stopped {
    /// The last row that was taken, which was refused unless nothing more may be kept; nothing
    /// behind it is recorded.
    #[n(0)]
    pub row: u64,
    #[n(1)]
    pub reason: String,
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
            next_row: 1,
            refused_run: 0,
            stopped: None,
        }
    }

    pub fn status(&self) -> UploadStatus {
        match self.stopped {
            Some(_) => UploadStatus::Stopped,
            None if self.next_part >= self.parts => UploadStatus::Done,
            None => UploadStatus::Processing,
        }
    }

    /// Whether none of its rows is recorded any more.
    pub fn is_over(&self) -> bool {
        self.status() != UploadStatus::Processing
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
