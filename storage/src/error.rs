//! What can go wrong, in words for the person who has to act on it.

use std::io;
use std::path::PathBuf;

use crate::index::{Fingerprint, Index, Taken};
use crate::key::{Key, KeyReader};
use crate::record::{self, Record};
use crate::table::{CLAIM_TAG, Table};

/// Why a store could not be opened. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "the data folder {} cannot be used: {} is a file; name a folder instead",
        folder.display(), file.display()
    )]
    NotAFolder { folder: PathBuf, file: PathBuf },
    #[error(
        "the data folder {} cannot be written: {source}; give it to the user that runs this \
         program, or name another folder",
        folder.display()
    )]
    NotPermitted { folder: PathBuf, source: io::Error },
    #[error(
        "the data folder {} is in use by {}; stop it first, or name another folder",
        folder.display(),
        holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    )]
    InUse { folder: PathBuf, holder: Option<u32> },
    #[error(
        "the data in {} is damaged: {detail}; keep the folder for examination, and restore from \
         a backup into an empty one",
        folder.display()
    )]
    Damaged { folder: PathBuf, detail: String },
    #[error(
        "the data folder {} is restored by half: a restore was interrupted; remove the folder, \
         and restore again", .0.display()
    )]
    Restoring(PathBuf),
    #[error(
        "the data folder {} is from before shards, and its rows cannot be moved: {detail}; nothing \
         is lost, the next start goes on with it",
        folder.display()
    )]
    NotMoved { folder: PathBuf, detail: String },
    #[error(
        "the data folder {} cannot be opened: {source}; check the disk and its free space, and \
         try again",
        folder.display()
    )]
    Io { folder: PathBuf, source: io::Error },
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("too much was written since the snapshot was taken")]
    SnapshotGone,
    #[error("a row of {table} is damaged (key {key}); restore from a backup")]
    Damaged { table: &'static str, key: String },
    /// The row was written by a newer program, or by one too old.
    #[error("a row of {table} has version {found}, and this program reads up to {known}")]
    Version { table: &'static str, found: u8, known: u8 },
    #[error("a row of {table} cannot be read (key {key}): {detail}")]
    Record { table: &'static str, key: String, detail: String },
    #[error("a key of {table} cannot be read (key {key}): {detail}")]
    Key { table: &'static str, key: String, detail: String },
    #[error("the store cannot be read: {0}")]
    Failed(String),
    #[error("the store is closed")]
    Closed,
}

impl ReadError {
    /// Whether nothing can be read, and not one row alone.
    pub fn concerns_all(&self) -> bool {
        matches!(self, Self::Closed | Self::Failed(_))
    }
}

/// Why a batch was refused. A refused batch has written nothing and drawn no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    #[error("a key of {} is claimed already", .0.name)]
    Claimed(Claimed),
    #[error("an earlier batch of the same writer was refused")]
    LaneBroken,
    #[error("the batch could not be written: {0}")]
    Failed(String),
    #[error("the store is closed")]
    Closed,
}

/// The first claim of a batch that did not hold: on the key of a table, or on a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The tag of the table; of a fingerprint, one that no table has.
    pub tag: u16,
    pub name: &'static str,
    /// The whole key; of a fingerprint its index, scope and bytes.
    pub(crate) key: Vec<u8>,
    pub(crate) row: Vec<u8>,
}

impl Claimed {
    /// The fingerprint that is claimed already, with its scope and what it was claimed for;
    /// `None` when the claim was not on this index.
    pub fn taken(&self, index: Index) -> Option<(u64, Fingerprint, Taken)> {
        let mut key = KeyReader::new(&self.key);
        let tag = u16::read(&mut key).ok()?;
        let found = (u64::read(&mut key).ok()?, Fingerprint(key.fixed().ok()?));
        let taken = self.row.as_slice().try_into().ok()?;
        let is_there = self.tag == CLAIM_TAG && tag == index.tag();
        is_there.then_some((found.0, found.1, taken))
    }

    /// The record that is there; `None` when the claim was on another table, or the record
    /// cannot be read.
    pub fn existing<K: Key, V: Record>(&self, table: Table<K, V>) -> Option<V> {
        if table.tag() != self.tag {
            return None;
        }
        record::unseal(self.name, &self.key, &self.row).ok()
    }
}
