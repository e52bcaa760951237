//! Backups: all of a store as one file, taken while others write.
//!
//! A backup holds no moment fast. It notes the last group that readers see, keeps the journal from
//! there on, and walks over all rows and claims as they are; then it adds the groups that were
//! written since, up to the last one. Whoever imports the rows and carries the groups out behind
//! them has, since the last value of a key counts, the store as it was with that group.

mod block;
mod outdated;
mod read;
mod restore;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use self::block::{Kind, Writer};
pub use self::outdated::Outdated;
pub use self::read::{BackupInfo, check_backup};
pub use self::restore::{Restoration, RestorePlan};
use crate::engine::journaled::Held;
use crate::error::{CommitError, OpenError, ReadError};
use crate::export::Export;
use crate::journal::{Chain, ChainError, write_change};
use crate::record::{CborRecord, cbor_encode};
use crate::rests::Rests;
use crate::shared::Shared;
use crate::store::Store;
use crate::view::View;

/// Bytes of rows in a block.
const BLOCK_BYTES: usize = 256 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error("{} cannot be read: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("{} is no backup of this program", .0.display())]
    NoBackup(PathBuf),
    #[error("the backup {} is damaged: {detail}", path.display())]
    Damaged { path: PathBuf, detail: String },
    #[error("the folder {} is not empty; name one that is, or that does not exist", .0.display())]
    NotEmpty(PathBuf),
    /// In microseconds since 1970.
    #[error("the backup reaches up to {reaches}, and only moments behind that can be restored")]
    BeforeBackup { reaches: u64 },
    #[error("{} has no file of the journal that {} is of", folder.display(), file.display())]
    OtherJournal { folder: PathBuf, file: PathBuf },
    #[error(transparent)]
    Journal(#[from] ChainError),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("the rows could not be written: {0}")]
    Commit(#[from] CommitError),
    #[error("the folder {} cannot be written: {source}", folder.display())]
    Folder { folder: PathBuf, source: io::Error },
}

/// What the first block says.
#[derive(Clone, Debug, minicbor::Encode, minicbor::Decode)]
struct Head {
    /// The store that it is of.
    #[n(0)]
    store: u64,
    /// When it was begun, in microseconds since 1970.
    #[n(1)]
    begun: u64,
    /// What the caller says of it.
    #[cbor(n(2), with = "minicbor::bytes")]
    label: Vec<u8>,
}

/// What the last block says.
#[derive(Clone, Copy, Debug, minicbor::Encode, minicbor::Decode)]
struct End {
    #[n(0)]
    rows: u64,
    /// The first and the last of the groups that are in it.
    #[n(1)]
    first: u64,
    #[n(2)]
    last: u64,
    /// When the last group was written.
    #[n(3)]
    at: u64,
    /// The bytes before this block and their checksum.
    #[n(4)]
    bytes: u64,
    #[n(5)]
    sum: u32,
}

impl CborRecord for Head {}
impl CborRecord for End {}

/// The pieces of the file, in their order. Each takes a moment and may wait for the disk.
///
/// While it lives the journal keeps all groups from its beginning on.
pub struct Backup {
    shared: Arc<Shared>,
    held: Held,
    label: Vec<u8>,
    /// When it was begun, in microseconds since 1970.
    begun: u64,
    writer: Writer,
    stage: Stage,
    rows: u64,
    rests: Rests,
}

enum Stage {
    Begin,
    Rows(Box<Export>),
    Groups(Box<Groups>),
    Done,
}

struct Groups {
    chain: Chain,
    first: u64,
    next: u64,
    last: u64,
    at: u64,
}

impl Store {
    /// Begins a backup of all that is durable when it ends. `label` is kept in it.
    pub fn backup(&self, label: &[u8]) -> Result<Backup, ReadError> {
        let shared = Arc::clone(self.shared());
        let (held, begun) = shared.with_engine(|engine| (engine.hold(), engine.now()))?;
        let (rests, writer) = (Rests::new(self.shared()), Writer::new());
        let label = label.to_vec();
        Ok(Backup { shared, held, label, begun, writer, stage: Stage::Begin, rows: 0, rests })
    }
}

impl Backup {
    /// Rests after a piece that took so long to make, as long as others write, so that they hardly
    /// notice.
    pub fn rest(&mut self, spent: Duration) {
        self.rests.rest(spent);
    }

    fn piece(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        loop {
            match &mut self.stage {
                Stage::Begin => return Ok(Some(self.begin())),
                Stage::Rows(rows) => {
                    let (block, count) = rows_block(rows)?;
                    if count > 0 {
                        self.rows += count;
                        return Ok(Some(self.writer.block(Kind::Rows, block)));
                    }
                    let groups = self.groups()?;
                    self.stage = Stage::Groups(Box::new(groups));
                }
                Stage::Groups(groups) => {
                    if let Some(block) = groups.block()? {
                        return Ok(Some(self.writer.block(Kind::Group, block)));
                    }
                    let Groups { first, last, at, .. } = **groups;
                    let (bytes, sum) = (self.writer.bytes, self.writer.sum());
                    let end = End { rows: self.rows, first, last, at, bytes, sum };
                    self.stage = Stage::Done;
                    return Ok(Some(self.record(Kind::End, &end)));
                }
                Stage::Done => return Ok(None),
            }
        }
    }

    fn begin(&mut self) -> Vec<u8> {
        let label = std::mem::take(&mut self.label);
        let head = Head { store: self.held.store, begun: self.begun, label };
        self.stage = Stage::Rows(Box::new(View::of_now(Arc::clone(&self.shared)).export()));
        let mut bytes = self.writer.begin();
        bytes.extend(self.record(Kind::Head, &head));
        bytes
    }

    fn record(&mut self, kind: Kind, record: &impl CborRecord) -> Vec<u8> {
        let mut room = block::room();
        room.extend(cbor_encode(record));
        self.writer.block(kind, room)
    }

    /// The groups since the beginning, with the one before: whether its claims were walked over
    /// nobody knows.
    fn groups(&self) -> Result<Groups, ReadError> {
        // Claims are seen a moment before the rows of their group, which are to come with them.
        self.shared.wait_for_answers();
        let last = self.shared.with_engine(|engine| engine.published())?;
        let Held { group, store, folder, .. } = &self.held;
        let mut chain = Chain::new(std::slice::from_ref(folder), *store, *group).map_err(failed)?;
        let first = chain.begin_at_first();
        if first > group + 1 {
            return Err(ReadError::Failed(format!("the journal lacks group {}", group + 1)));
        }
        // Without a group all was written before.
        Ok(Groups { chain, first, next: first, last, at: self.begun })
    }
}

impl Groups {
    fn block(&mut self) -> Result<Option<Vec<u8>>, ReadError> {
        if self.next > self.last {
            return Ok(None);
        }
        let group = self.chain.next().map_err(failed)?;
        let group = group
            .ok_or_else(|| ReadError::Failed(format!("the journal lacks group {}", self.next)))?;
        self.next += 1;
        self.at = group.at;
        let mut room = block::room();
        room.extend_from_slice(&group.number.to_le_bytes());
        room.extend_from_slice(&group.at.to_le_bytes());
        room.extend_from_slice(&group.payload);
        Ok(Some(room))
    }
}

impl Iterator for Backup {
    type Item = Result<Vec<u8>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let piece = self.piece().transpose();
        if matches!(piece, Some(Err(_))) {
            self.stage = Stage::Done;
        }
        piece
    }
}

impl std::fmt::Debug for Backup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backup").field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// The next rows, and how many they are.
fn rows_block(rows: &mut Export) -> Result<(Vec<u8>, u64), ReadError> {
    let (mut room, mut count) = (block::room(), 0);
    while room.len() < BLOCK_BYTES {
        let Some(row) = rows.next().transpose()? else { break };
        write_change(&mut room, &row.key, Some(&row.row));
        count += 1;
    }
    Ok((room, count))
}

fn failed(error: ChainError) -> ReadError {
    ReadError::Failed(error.to_string())
}
