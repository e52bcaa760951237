//! Files of the journal: a head, then frames without gaps, then what was never written or is left
//! over from an earlier use of the file.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::folder;
use crate::open_files::patiently;

const MAGIC: [u8; 8] = *b"accruejn";
const VERSION: u32 = 1;
pub(super) const HEAD_BYTES: usize = 40;

/// What the head of a file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Of the store that the file belongs to: random, drawn once.
    pub(super) store: u64,
    /// Files of a store are numbered in their order.
    pub(super) number: u64,
    /// The group of the first frame.
    pub(super) first: u64,
}

impl Head {
    pub(super) fn to_bytes(self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.store.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.number.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.first.to_le_bytes());
        let sum = crc32fast::hash(&bytes[16..]);
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The head of a file; `None` where it has none that is whole.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.first_chunk::<HEAD_BYTES>()?;
        let number = |at: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(number)
        };
        let head = Self { store: number(16), number: number(24), first: number(32) };
        (head.to_bytes() == *bytes).then_some(head)
    }

    /// Where the checksums of the file's frames begin: those of another file, or of an earlier
    /// use of this one, are no frames of it.
    pub(super) fn seed(self) -> u32 {
        crc32fast::hash(&self.to_bytes()[16..32])
    }
}

/// What the names of the files end with.
pub(super) const JOURNAL: &str = "journal";

pub(super) fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:012}.{JOURNAL}"))
}

/// The number of a file, if its name has one.
pub(super) fn number(path: &Path) -> Option<u64> {
    let is_journal = path.extension().is_some_and(|kind| kind == JOURNAL);
    path.file_stem().filter(|_| is_journal)?.to_str()?.parse().ok()
}

/// The numbers of the files in the folder, rising.
pub(super) fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        numbers.extend(number(&entry?.path()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// A file that frames are appended to.
#[derive(Debug)]
pub(super) struct Open {
    file: File,
    pub(super) head: Head,
    /// Where the next frame goes.
    pub(super) end: u64,
    /// The length of the file: what is overwritten costs the disk less to sync than what grows.
    length: u64,
}

/// A file grows by so much at first, and by as much as it has then, up to the limit: the group for
/// which it grows waits until the disk has all of it.
const FIRST_GROWTH: u64 = 64 * 1024;
const MOST_GROWTH: u64 = 256 * 1024;
static ZEROS: [u8; FIRST_GROWTH as usize] = [0; FIRST_GROWTH as usize];

impl Open {
    /// Begins a file anew, which may have been one before; durable with its first frame once the
    /// folder is synced.
    pub(super) fn begin(folder: &Path, head: Head) -> io::Result<Self> {
        let mut options = folder::for_the_owner();
        options.read(true).write(true).create(true).truncate(false);
        let file = patiently(|| options.open(path(folder, head.number)))?;
        let length = file.metadata()?.len();
        let mut open = Self { file, head, end: HEAD_BYTES as u64, length };
        open.grow_to(HEAD_BYTES as u64)?;
        open.file.write_all_at(&head.to_bytes(), 0)?;
        Ok(open)
    }

    /// Goes on behind the last frame of a file, which ends at `end`.
    pub(super) fn go_on(folder: &Path, head: Head, end: u64) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path(folder, head.number))?;
        let length = file.metadata()?.len();
        Ok(Self { file, head, end, length })
    }

    /// Writes the head and what stands behind `from` once more. A process whose last sync was
    /// refused has left what is read, and what no later sync makes durable.
    pub(super) fn write_again(&self, from: u64) -> io::Result<()> {
        for (from, until) in [(0, HEAD_BYTES as u64), (from, self.end)] {
            let mut bytes = vec![0; (until - from) as usize];
            self.file.read_exact_at(&mut bytes, from)?;
            self.file.write_all_at(&bytes, from)?;
        }
        Ok(())
    }

    pub(super) fn append(&mut self, frame: &[u8]) -> io::Result<()> {
        let end = self.end + frame.len() as u64;
        self.grow_to(end)?;
        self.file.write_all_at(frame, self.end)?;
        self.end = end;
        Ok(())
    }

    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    fn grow_to(&mut self, end: u64) -> io::Result<()> {
        if end <= self.length {
            return Ok(());
        }
        let growth = self.length.clamp(FIRST_GROWTH, MOST_GROWTH).max(end - self.length);
        let until = self.length + growth;
        while self.length < until {
            let part = ZEROS.len().min((until - self.length) as usize);
            self.file.write_all_at(&ZEROS[..part], self.length)?;
            self.length += part as u64;
        }
        Ok(())
    }
}
