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
    /// The path, or a part of it, is a file.
    #[error(
        "the data folder {} cannot be used: {} is a file; name a folder instead",
        folder.display(), file.display()
    )]
    NotAFolder {
        /// The folder that was asked for.
        folder: PathBuf,
        /// The file that stands in its place.
        file: PathBuf,
    },
    /// The folder cannot be created, read or written by this user.
    #[error(
        "the data folder {} cannot be written: {source}; give it to the user that runs this \
         program, or name another folder",
        folder.display()
    )]
    NotPermitted {
        /// The folder that was asked for.
        folder: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Another process holds the folder.
    #[error(
        "the data folder {} is in use by {}; stop it first, or name another folder",
        folder.display(),
        holder.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
    )]
    InUse {
        /// The folder that was asked for.
        folder: PathBuf,
        /// The process that holds it, when it has said so.
        holder: Option<u32>,
    },
    /// What is in the folder cannot be trusted.
    #[error(
        "the data in {} is damaged: {detail}; keep the folder for examination, and restore from \
         a backup into an empty one",
        folder.display()
    )]
    Damaged {
        /// The folder that was asked for.
        folder: PathBuf,
        /// What was found.
        detail: String,
    },
    /// The operating system refused something else.
    #[error(
        "the data folder {} cannot be opened: {source}; check the disk and its free space, and \
         try again",
        folder.display()
    )]
    Io {
        /// The folder that was asked for.
        folder: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
}

/// Why a row could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The checksum of the row does not match.
    #[error("a row of {table} is damaged (key {key}); restore from a backup")]
    Damaged {
        /// The name of the table.
        table: &'static str,
        /// The key within the table, as hexadecimal digits.
        key: String,
    },
    /// The row was written by a newer program, or by one too old.
    #[error("a row of {table} has version {found}, and this program reads up to {known}")]
    Version {
        /// The name of the table.
        table: &'static str,
        /// The version of the row.
        found: u8,
        /// The highest version that this program reads.
        known: u8,
    },
    /// The row is whole, but is not a record of its table.
    #[error("a row of {table} cannot be read (key {key}): {detail}")]
    Record {
        /// The name of the table.
        table: &'static str,
        /// The key within the table, as hexadecimal digits.
        key: String,
        /// What the record's type said.
        detail: String,
    },
    /// The key is not a key of its table.
    #[error("a key of {table} cannot be read (key {key}): {detail}")]
    Key {
        /// The name of the table.
        table: &'static str,
        /// The key within the table, as hexadecimal digits.
        key: String,
        /// What the key's type said.
        detail: String,
    },
    /// The engine could not read.
    #[error("the store cannot be read: {0}")]
    Failed(String),
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
}

/// Why a batch was refused. A refused batch has written nothing and drawn no number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// A key that the batch claims is present.
    #[error("a key of {} is claimed already", .0.name)]
    Claimed(Claimed),
    /// An earlier batch of the same lane was refused.
    #[error("an earlier batch of the same writer was refused")]
    LaneBroken,
    /// The batch cannot be written, or the store cannot write any more.
    #[error("the batch could not be written: {0}")]
    Failed(String),
    /// The store is closed.
    #[error("the store is closed")]
    Closed,
}

/// The first claim of a batch that did not hold: on the key of a table, or on a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The tag of the table; of a fingerprint, one that no table has.
    pub tag: u16,
    /// The name of the table, or of the index.
    pub name: &'static str,
    /// The bytes of the key within the table; what they are for a fingerprint is read with
    /// [`taken`](Claimed::taken).
    pub key: Vec<u8>,
    /// The row that is there, in its envelope.
    pub row: Vec<u8>,
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
