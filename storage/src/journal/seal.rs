//! Sealed copies of files of a journal: the head and the groups of the file, and behind them a seal
//! that is a checksum of them all.
//!
//! The seal is [`MAGIC`], the last group: `u64`, the bytes before the seal: `u64`, and the checksum
//! of those and of the seal so far: `u32`.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::file::{self, Head};
use super::listing::head_of;
use super::read::{ChainError, Reader};
use crate::folder;

/// What the names of sealed copies end with.
pub(super) const SEALED: &str = "sealed";
const PARTIAL: &str = "partial";
const MAGIC: [u8; 8] = *b"accruese";
const SEAL_BYTES: usize = 28;

/// What a sealed copy says of itself at its end.
struct Seal {
    last: u64,
    sum: u32,
}

/// Copies a file of a journal, with the groups up to `last`, to a folder that may hold those of
/// other stores as well. A copy that is there already and has fewer groups gives way to this one;
/// one with others stays, and is told of.
pub(super) fn copy(
    journal: &Path,
    number: u64,
    last: u64,
    archive: &Path,
) -> Result<(), ChainError> {
    let source = Source::open(journal, number)?;
    let store = source.head.store;
    let [target, next] = [number, number + 1].map(|number| copied(archive, store, number));
    if next.exists() && head_of(&next)?.is_some_and(|next| next.first <= last) {
        return Err(ChainError::OtherGroups { path: next });
    }
    if target.exists() {
        let there = Seal::of(&target)?;
        let is_ours = || Ok(source.write(there.last, io::sink(), &target)?.1 == there.sum);
        if there.last > last || !is_ours()? {
            return Err(ChainError::OtherGroups { path: target });
        }
        if there.last == last {
            // A crash may have come before its name was durable.
            return synced(archive);
        }
    }
    let partial = target.with_extension(PARTIAL);
    let failed = |source| ChainError::Unwritable { path: partial.clone(), source };
    let mut options = folder::for_the_owner();
    let out = options.write(true).create(true).truncate(true).open(&partial).map_err(failed)?;
    let out = BufWriter::with_capacity(256 * 1024, out);
    let (mut out, _) = source.write(last, out, &partial)?;
    out.flush().and_then(|()| out.get_ref().sync_all()).map_err(failed)?;
    fs::rename(&partial, &target).map_err(failed)?;
    synced(archive)
}

/// Where the copy of a file of a store is.
pub(super) fn copied(archive: &Path, store: u64, number: u64) -> PathBuf {
    archive.join(format!("{store:016x}-{number:012}.{SEALED}"))
}

/// Of which store a copy is and which of its files, by its name.
pub(super) fn named(path: &Path) -> Option<(u64, u64)> {
    let (store, number) = path.file_stem()?.to_str()?.split_once('-')?;
    let (store, number) = (u64::from_str_radix(store, 16).ok()?, number.parse().ok()?);
    (copied(path.parent()?, store, number) == path).then_some((store, number))
}

/// Whether a copy that is damaged has had nothing but what a whole file has, with this head: the
/// seal that it ends with is the one of these groups.
pub(super) fn is_within(copy: &Path, head: Head, whole: &Path) -> bool {
    let sealed_alike = || {
        let there = Seal::of(copy)?;
        let source = Source { path: whole.to_owned(), head };
        Ok::<_, ChainError>(source.write(there.last, io::sink(), whole)?.1 == there.sum)
    };
    sealed_alike().unwrap_or(false)
}

fn synced(archive: &Path) -> Result<(), ChainError> {
    folder::sync(archive)
        .map_err(|source| ChainError::Unwritable { path: archive.to_owned(), source })
}

impl Seal {
    /// The seal of a copy whose groups are not proven here.
    fn of(path: &Path) -> Result<Self, ChainError> {
        let read = || {
            let file = File::open(path)?;
            let mut seal = [0; SEAL_BYTES];
            let at = file.metadata()?.len().checked_sub(SEAL_BYTES as u64);
            if let Some(at) = at {
                file.read_exact_at(&mut seal, at)?;
            }
            Ok(seal)
        };
        let seal = read().map_err(|source| ChainError::Io { path: path.to_owned(), source })?;
        let last = seal[MAGIC.len()..].first_chunk().map(|last| u64::from_le_bytes(*last));
        let sum = seal.last_chunk().map(|sum| u32::from_le_bytes(*sum));
        match (last, sum) {
            (Some(last), Some(sum)) if seal.starts_with(&MAGIC) => Ok(Self { last, sum }),
            _ => {
                let detail = "it has no seal".to_owned();
                Err(ChainError::Damaged { path: path.to_owned(), detail })
            }
        }
    }
}

/// A file of a journal that is copied.
struct Source {
    path: PathBuf,
    head: Head,
}

impl Source {
    fn open(journal: &Path, number: u64) -> Result<Self, ChainError> {
        let path = file::path(journal, number);
        let mut bytes = [0; file::HEAD_BYTES];
        let read = File::open(&path).and_then(|mut file| file.read_exact(&mut bytes));
        read.map_err(|source| ChainError::Io { path: path.clone(), source })?;
        match Head::of(&bytes) {
            Some(head) => Ok(Self { path, head }),
            None => Err(ChainError::without_head(path)),
        }
    }

    /// Writes the head, the groups up to `last` and their seal, whose checksum is told. `into`:
    /// where that is, for errors.
    fn write<W: Write>(&self, last: u64, out: W, into: &Path) -> Result<(W, u32), ChainError> {
        let failed = |source| ChainError::Unwritable { path: into.to_owned(), source };
        let mut out = Summed { out, sum: crc32fast::Hasher::new(), bytes: 0 };
        out.write(&self.head.to_bytes()).map_err(failed)?;
        let mut reader = Reader::open(self.path.clone(), self.head)?;
        let mut reached = self.head.first - 1;
        while reached < last {
            let group = reader.next()?.filter(|group| group.number == reached + 1);
            reached = group.map(|group| group.number).ok_or_else(|| ChainError::Damaged {
                path: self.path.clone(),
                detail: "a group is not whole".to_owned(),
            })?;
            out.write(reader.frame()).map_err(failed)?;
        }
        out.seal(last).map_err(failed)
    }
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

struct Summed<W> {
    out: W,
    sum: crc32fast::Hasher,
    bytes: u64,
}

impl<W: Write> Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Ends with the seal, and tells its checksum.
    fn seal(mut self, last: u64) -> io::Result<(W, u32)> {
        let end = self.bytes;
        self.write(&MAGIC)?;
        self.write(&last.to_le_bytes())?;
        self.write(&end.to_le_bytes())?;
        let sum = self.sum.finalize();
        self.out.write_all(&sum.to_le_bytes())?;
        Ok((self.out, sum))
    }
}

/// The folder of an archive, made where it is missing.
pub(super) fn make(archive: &Path) -> Result<(), ChainError> {
    match folder::create_for_the_owner(archive) {
        Ok(()) => {
            let above = archive.parent().filter(|above| !above.as_os_str().is_empty());
            synced(above.unwrap_or(Path::new(".")))
        }
        Err(source) if !archive.is_dir() => {
            Err(ChainError::Unwritable { path: PathBuf::from(archive), source })
        }
        Err(_) => Ok(()),
    }
}
