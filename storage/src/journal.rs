//! The journal: every group of the store in the order of its numbers, durable with one sync each.
//!
//! It is a row of files. Only the newest is written; the others are sealed, and those whose groups
//! the engine holds are used again under a new number, since what is overwritten costs the disk
//! less to sync than what grows. One group is on its way to the disk at a time. So a frame that is
//! not whole is the torn end of a crash where nothing whole stands behind it, and damage otherwise.

mod file;
mod frame;
mod replay;

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use file::{Head, Open};
pub(crate) use replay::replay;

use crate::engine::{Change, Spent};
use crate::folder;

const FOLDER: &str = "journal";

/// Sealed files that are kept although the engine holds their groups: an engine that has lost
/// the end of its own file is repaired from them.
const KEPT: usize = 1;
/// A buffer that one large group has made larger than this is not kept.
const BUFFER_BYTES: usize = 4 * 1024 * 1024;

pub(crate) struct Journal {
    folder: PathBuf,
    newest: Open,
    last: u64,
    sealed: VecDeque<Sealed>,
    /// Bytes after which a file is sealed.
    file_bytes: u64,
    buffer: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Sealed {
    number: u64,
    /// Its last group.
    last: u64,
}

impl Journal {
    fn new(
        folder: PathBuf,
        newest: Open,
        last: u64,
        sealed: VecDeque<Sealed>,
        file_bytes: u64,
    ) -> Self {
        Self { folder, newest, last, sealed, file_bytes, buffer: Vec::new() }
    }

    /// Appends the group that follows the last one, and returns when it would survive a power
    /// cut. `at`: microseconds since 1970. `applied`: the last group that the engine holds for good.
    pub(crate) fn append(
        &mut self,
        at: u64,
        changes: &[Change],
        applied: u64,
    ) -> io::Result<Spent> {
        let started = Instant::now();
        let group = self.last + 1;
        frame::write(&mut self.buffer, self.newest.head.seed(), group, at, changes);
        let is_empty = self.newest.end == file::HEAD_BYTES as u64;
        if !is_empty && self.newest.end + self.buffer.len() as u64 > self.file_bytes {
            self.seal(applied)?;
            frame::write(&mut self.buffer, self.newest.head.seed(), group, at, changes);
        }
        self.newest.append(&self.buffer)?;
        let written = Instant::now();
        self.newest.sync()?;
        let synced = Instant::now();
        self.last = group;
        if self.buffer.capacity() > BUFFER_BYTES {
            self.buffer = Vec::new();
        }
        Ok(Spent { append: written - started, sync: synced - written })
    }

    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    fn seal(&mut self, applied: u64) -> io::Result<()> {
        let Head { store, number, .. } = self.newest.head;
        self.sealed.push_back(Sealed { number, last: self.last });
        let head = Head { store, number: number + 1, first: self.last + 1 };
        let done = self.sealed.iter().take_while(|sealed| sealed.last <= applied).count();
        let mut unused = self.sealed.drain(..done.saturating_sub(KEPT));
        if let Some(spare) = unused.next() {
            let spare = file::path(&self.folder, spare.number);
            fs::rename(spare, file::path(&self.folder, head.number))?;
            // Before it is written: under its old name it would look damaged.
            folder::sync(&self.folder)?;
        }
        for more in unused {
            fs::remove_file(file::path(&self.folder, more.number))?;
        }
        self.newest = Open::begin(&self.folder, head)?;
        folder::sync(&self.folder)
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
