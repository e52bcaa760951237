//! Sealed copies of files of a journal: the head and the groups of the file, and behind them a seal
//! that is a checksum of them all.
//!
//! The seal is [`MAGIC`], the last group: `u64`, the bytes before the seal: `u64`, and the checksum
//! of those and of the seal so far: `u32`.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};

use super::file::{self, Head};
use super::read::{ChainError, Reader};
use crate::folder;

/// What the names of sealed copies end with.
pub(super) const SEALED: &str = "sealed";
const PARTIAL: &str = "partial";
const MAGIC: [u8; 8] = *b"accruese";
const SEAL_BYTES: usize = 28;

/// Copies a file of a journal, with the groups up to `last`, to a folder that may hold those of
/// other stores as well. One that is there already is whole, and left alone.
pub(super) fn copy(
    journal: &Path,
    number: u64,
    last: u64,
    archive: &Path,
) -> Result<(), ChainError> {
    let source = file::path(journal, number);
    let damaged =
        |detail: &str| ChainError::Damaged { path: source.clone(), detail: detail.to_owned() };
    let read_failed = |error| ChainError::Io { path: source.clone(), source: error };
    let mut bytes = [0; file::HEAD_BYTES];
    File::open(&source).and_then(|mut file| file.read_exact(&mut bytes)).map_err(read_failed)?;
    let head = Head::of(&bytes).ok_or_else(|| damaged("its head is not whole"))?;
    let target = archive.join(format!("{:016x}-{number:012}.{SEALED}", head.store));
    if target.exists() {
        return Ok(());
    }
    let partial = target.with_extension(PARTIAL);
    let write_failed = |error| ChainError::Io { path: partial.clone(), source: error };
    let mut options = folder::for_the_owner();
    let opened = options.write(true).create(true).truncate(true).open(&partial);
    let mut out = Summed::new(opened.map_err(write_failed)?);
    out.write(&bytes).map_err(write_failed)?;
    let mut reader = Reader::open(source.clone(), head)?;
    let mut reached = head.first - 1;
    while reached < last {
        let group = reader.next()?.filter(|group| group.number == reached + 1);
        reached = group.ok_or_else(|| damaged("a group is not whole"))?.number;
        out.write(reader.frame()).map_err(write_failed)?;
    }
    out.seal(last).map_err(write_failed)?;
    let moved = fs::rename(&partial, &target).and_then(|()| folder::sync(archive));
    moved.map_err(|error| ChainError::Io { path: target, source: error })
}

/// Proves a sealed copy, and says where its groups end.
pub(super) fn check(path: &Path) -> Result<u64, ChainError> {
    let failed = |source| ChainError::Io { path: path.to_owned(), source };
    let damaged =
        |detail: &str| ChainError::Damaged { path: path.to_owned(), detail: detail.to_owned() };
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let end = length.checked_sub(SEAL_BYTES as u64).ok_or_else(|| damaged("it has no seal"))?;
    let mut file = BufReader::with_capacity(256 * 1024, file);
    let mut sum = crc32fast::Hasher::new();
    let mut left = end + SEAL_BYTES as u64 - 4;
    let mut buffer = vec![0; 256 * 1024];
    let mut seal = [0; SEAL_BYTES - 4];
    while left > 0 {
        let upto = if left > seal.len() as u64 { left - seal.len() as u64 } else { left };
        let part = usize::try_from(upto).unwrap_or(usize::MAX).min(buffer.len());
        file.read_exact(&mut buffer[..part]).map_err(failed)?;
        sum.update(&buffer[..part]);
        if left == seal.len() as u64 {
            seal.copy_from_slice(&buffer[..part]);
        }
        left -= part as u64;
    }
    let mut expected = [0; 4];
    file.read_exact(&mut expected).map_err(failed)?;
    let bytes = seal[16..].first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
    let whole =
        seal.starts_with(&MAGIC) && bytes == Some(end) && sum.finalize().to_le_bytes() == expected;
    if whole { Ok(end) } else { Err(damaged("its seal does not fit what it has")) }
}

struct Summed {
    out: BufWriter<File>,
    sum: crc32fast::Hasher,
    bytes: u64,
}

impl Summed {
    fn new(file: File) -> Self {
        let out = BufWriter::with_capacity(256 * 1024, file);
        Self { out, sum: crc32fast::Hasher::new(), bytes: 0 }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Ends the file with its seal, and returns when it would survive a power cut.
    fn seal(mut self, last: u64) -> io::Result<()> {
        let end = self.bytes;
        self.write(&MAGIC)?;
        self.write(&last.to_le_bytes())?;
        self.write(&end.to_le_bytes())?;
        let sum = self.sum.clone().finalize();
        self.out.write_all(&sum.to_le_bytes())?;
        self.out.flush()?;
        self.out.get_ref().sync_all()
    }
}

/// The folder of an archive, made where it is missing.
pub(super) fn make(archive: &Path) -> Result<(), ChainError> {
    match folder::create_for_the_owner(archive) {
        Err(source) if !archive.is_dir() => {
            Err(ChainError::Io { path: PathBuf::from(archive), source })
        }
        _ => Ok(()),
    }
}
