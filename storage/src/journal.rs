//! The journal: every group of the store in the order of its numbers, durable with one sync each.
//!
//! It is a row of files. Only the newest is written; the others are sealed, and those whose groups
//! the engine holds are used again under a new number, since what is overwritten costs the disk
//! less to sync than what grows. One group is on its way to the disk at a time. So a frame that is
//! not whole is the torn end of a crash where nothing whole stands behind it, and damage otherwise.

mod archive;
mod file;
mod frame;
mod hold;
mod listing;
mod place;
mod read;
mod replay;
mod seal;

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use parking_lot::{Mutex, MutexGuard};

pub(crate) use archive::{Archive, Archiver};
use file::{Head, Open};
pub(crate) use frame::{payload_of, read_changes, write_change};
pub(crate) use hold::Hold;
use hold::Holds;
pub(crate) use listing::{PassedOver, has_files, passed_over};
pub(crate) use read::Chain;
pub use read::ChainError;
pub(crate) use replay::replay;

use crate::engine::Spent;
use crate::folder;

const FOLDER: &str = "journal";

/// Files that a write deletes at most when it begins the next.
const DELETED_AT_ONCE: usize = 2;

/// A buffer that one large group has made larger than this is not kept.
const BUFFER_BYTES: usize = 4 * 1024 * 1024;

pub(crate) struct Journal {
    folder: PathBuf,
    newest: Open,
    last: u64,
    /// When the last group was written, in microseconds since 1970: never earlier than the one
    /// before, whatever the clock says.
    at: u64,
    /// The last group that the engine holds for good, as far as is known here.
    applied: u64,
    sealed: VecDeque<Sealed>,
    /// Groups whose files somebody reads.
    holds: Holds,
    /// The last group that the archive holds, with all before it; `u64::MAX` without an archive.
    archived: u64,
    /// The next group begins a file, however small the newest is.
    begins_file: bool,
    sizes: Sizes,
    buffer: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Bytes after which a file is sealed.
    pub(crate) file: u64,
    /// Bytes of files that are kept at least although the engine holds their groups: an engine
    /// that has lost the end of its own file is mended from them.
    pub(crate) kept: u64,
}

#[derive(Clone, Copy, Debug)]
struct Sealed {
    number: u64,
    /// Its last group.
    last: u64,
    bytes: u64,
}

impl Journal {
    fn new(
        folder: PathBuf,
        newest: Open,
        (last, at): (u64, u64),
        sealed: VecDeque<Sealed>,
        sizes: Sizes,
    ) -> Self {
        let holds = Holds::default();
        Self {
            folder,
            newest,
            last,
            at,
            applied: 0,
            sealed,
            holds,
            archived: u64::MAX,
            begins_file: false,
            sizes,
            buffer: Vec::new(),
        }
    }

    /// Appends the group that follows the last one, and returns when it would survive a power
    /// cut. `at`: microseconds since 1970. `payload`: its [changes](payload_of). `applied`: the last
    /// group that the engine holds for good.
    pub(crate) fn append(&mut self, at: u64, payload: &[u8], applied: u64) -> io::Result<Spent> {
        let started = Instant::now();
        self.applied = applied;
        let group = self.last + 1;
        let at = at.max(self.at);
        frame::write(&mut self.buffer, self.newest.head.seed(), group, at, payload);
        let is_full = self.newest.end + self.buffer.len() as u64 > self.sizes.file;
        if self.has_groups() && (is_full || self.begins_file) {
            self.seal()?;
            frame::write(&mut self.buffer, self.newest.head.seed(), group, at, payload);
        }
        self.newest.append(&self.buffer)?;
        let written = Instant::now();
        self.newest.sync()?;
        let synced = Instant::now();
        (self.last, self.at) = (group, at);
        let bytes = self.buffer.len();
        if self.buffer.capacity() > BUFFER_BYTES {
            self.buffer = Vec::new();
        }
        Ok(Spent { append: written - started, sync: synced - written, bytes })
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// Keeps the files with this group and those behind it until what is returned is dropped.
    pub(crate) fn hold(&self, group: u64) -> Hold {
        self.holds.hold(group)
    }

    /// Keeps all files, whatever the engine holds.
    pub(crate) fn keep_all(&mut self) {
        self.archived = 0;
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Which store it is of: random, drawn once.
    pub(crate) fn store(&self) -> u64 {
        self.newest.head.store
    }

    /// Whether the newest file has groups.
    fn has_groups(&self) -> bool {
        self.newest.end > file::HEAD_BYTES as u64
    }

    /// Seals the newest file and begins the next, which is durable with its first group.
    fn seal(&mut self) -> io::Result<()> {
        let Head { store, number, .. } = self.newest.head;
        let bytes = self.newest.end;
        self.sealed.push_back(Sealed { number, last: self.last, bytes });
        self.begins_file = false;
        let head = Head { store, number: number + 1, first: self.last + 1 };
        if self.unused() > 0
            && let Some(spare) = self.sealed.pop_front()
        {
            let spare = file::path(&self.folder, spare.number);
            fs::rename(spare, file::path(&self.folder, head.number))?;
            // Before it is written: under its old name it would look damaged.
            folder::sync(&self.folder)?;
        }
        // Of many that were held until now each write deletes a few: none waits for all of them.
        for _ in 0..DELETED_AT_ONCE {
            if !self.delete_unused(0)? {
                break;
            }
        }
        self.newest = Open::begin(&self.folder, head)?;
        folder::sync(&self.folder)
    }

    /// How many of the oldest files nobody needs any more.
    fn unused(&self) -> usize {
        let held = self.holds.first();
        let elsewhere = self.applied.min(self.archived);
        let is_done = |sealed: &&Sealed| sealed.last <= elsewhere && sealed.last < held;
        let done = self.sealed.iter().take_while(is_done).count();
        let mut kept = 0;
        let unused = self.sealed.range(..done).rposition(|sealed| {
            kept += sealed.bytes;
            kept >= self.sizes.kept
        });
        unused.unwrap_or(0)
    }

    /// Deletes the oldest file where nobody needs more than `spare` of them, and says whether it
    /// did. The oldest first, so that none is missing between two whenever the process ends.
    fn delete_unused(&mut self, spare: usize) -> io::Result<bool> {
        if self.unused() <= spare {
            return Ok(false);
        }
        let Some(oldest) = self.sealed.front() else { return Ok(false) };
        fs::remove_file(file::path(&self.folder, oldest.number))?;
        self.sealed.pop_front();
        Ok(true)
    }
}

/// Deletes the files that nobody needs any more, but for the one that the next is made of. Writers
/// get in between.
pub(crate) fn reclaim(journal: &Mutex<Journal>) {
    loop {
        let mut held = journal.lock();
        match held.delete_unused(1) {
            Ok(true) => MutexGuard::unlock_fair(held),
            Ok(false) => return,
            Err(error) => {
                tracing::warn!(%error, "a file of the journal that nobody needs could not be deleted");
                return;
            }
        }
    }
}

/// The folder of the journal, made where it is missing.
fn home(store: &Path) -> io::Result<PathBuf> {
    let home = store.join(FOLDER);
    match folder::create_for_the_owner(&home) {
        Ok(()) => folder::sync(store)?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    Ok(home)
}
