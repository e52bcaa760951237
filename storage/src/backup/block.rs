//! The file of a backup: a magic number, then blocks, each with a checksum that also covers its
//! place, and at the end one that sums up the whole file.
//!
//! A block is `kind: u8`, three zeros, `bytes: u32` of its payload, `checksum: u32` and the payload.
//! Numbers are little endian.

use std::fs::File;
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};

use super::BackupError;

const MAGIC: [u8; 8] = *b"accruebk";
const VERSION: u32 = 1;
const HEAD_BYTES: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whose backup it is; the first.
    Head = 1,
    /// Rows as they were found, while others wrote.
    Rows = 2,
    /// What was written meanwhile.
    Group = 3,
    /// What there must have been; the last.
    End = 4,
}

/// Makes the pieces of a file.
pub(super) struct Writer {
    blocks: u32,
    pub(super) bytes: u64,
    sum: crc32fast::Hasher,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self { blocks: 0, bytes: 0, sum: crc32fast::Hasher::new() }
    }

    /// What the file begins with.
    pub(super) fn begin(&mut self) -> Vec<u8> {
        let bytes = [MAGIC.as_slice(), &VERSION.to_le_bytes()].concat();
        self.count(&bytes);
        bytes
    }

    /// The block of a payload, which is behind the first [`HEAD_BYTES`] of `room`.
    pub(super) fn block(&mut self, kind: Kind, mut room: Vec<u8>) -> Vec<u8> {
        let bytes = (room.len() - HEAD_BYTES) as u32;
        room[0] = kind as u8;
        room[4..8].copy_from_slice(&bytes.to_le_bytes());
        let sum = checksum(self.blocks, &room[..8], &room[HEAD_BYTES..]);
        room[8..HEAD_BYTES].copy_from_slice(&sum.to_le_bytes());
        self.blocks += 1;
        self.count(&room);
        room
    }

    pub(super) fn sum(&self) -> u32 {
        self.sum.clone().finalize()
    }

    fn count(&mut self, bytes: &[u8]) {
        self.sum.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

/// Room for a payload.
pub(super) fn room() -> Vec<u8> {
    vec![0; HEAD_BYTES]
}

/// Reads the blocks of a file and proves each.
pub(super) struct Reader {
    path: PathBuf,
    file: BufReader<File>,
    length: u64,
    read: u64,
    blocks: u32,
    sum: crc32fast::Hasher,
}

/// A block that was proven.
pub(super) struct Block {
    pub(super) kind: Kind,
    pub(super) payload: Vec<u8>,
    /// The bytes of the file before it, and their checksum.
    pub(super) before: (u64, u32),
}

impl Reader {
    pub(super) fn open(path: &Path) -> Result<Self, BackupError> {
        let failed = |source| BackupError::Io { path: path.to_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let file = BufReader::with_capacity(256 * 1024, file);
        let sum = crc32fast::Hasher::new();
        let mut reader = Self { path: path.to_owned(), file, length, read: 0, blocks: 0, sum };
        let mut begin = [0; 12];
        if length < begin.len() as u64 {
            return Err(BackupError::NoBackup(path.to_owned()));
        }
        reader.fill(&mut begin).map_err(failed)?;
        if begin[..8] != MAGIC {
            return Err(BackupError::NoBackup(path.to_owned()));
        }
        if begin[8..] != VERSION.to_le_bytes() {
            return Err(reader.damaged("its version is not known to this program"));
        }
        Ok(reader)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn read_bytes(&self) -> u64 {
        self.read
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn damaged(&self, detail: &str) -> BackupError {
        BackupError::Damaged { path: self.path.clone(), detail: detail.to_owned() }
    }

    pub(super) fn next(&mut self) -> Result<Block, BackupError> {
        let before = (self.read, self.sum.clone().finalize());
        let mut head = [0; HEAD_BYTES];
        if self.length - self.read < HEAD_BYTES as u64 {
            return Err(self.damaged("its end is missing"));
        }
        self.fill(&mut head).map_err(|source| self.failed(source))?;
        let [kind, z0, z1, z2, b0, b1, b2, b3, s0, s1, s2, s3] = head;
        let bytes = u32::from_le_bytes([b0, b1, b2, b3]);
        if u64::from(bytes) > self.length - self.read {
            return Err(self.damaged(&format!("block {} is not whole", self.blocks)));
        }
        let mut payload = vec![0; bytes as usize];
        self.fill(&mut payload).map_err(|source| self.failed(source))?;
        let sum = checksum(self.blocks, &head[..8], &payload);
        let kind = match kind {
            1 => Some(Kind::Head),
            2 => Some(Kind::Rows),
            3 => Some(Kind::Group),
            4 => Some(Kind::End),
            _ => None,
        };
        let kind = kind.filter(|_| sum.to_le_bytes() == [s0, s1, s2, s3] && [z0, z1, z2] == [0; 3]);
        let kind = kind.ok_or_else(|| self.damaged(&format!("block {}", self.blocks)))?;
        self.blocks += 1;
        Ok(Block { kind, payload, before })
    }

    fn fill(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.file.read_exact(bytes)?;
        self.sum.update(bytes);
        self.read += bytes.len() as u64;
        Ok(())
    }

    fn failed(&self, source: io::Error) -> BackupError {
        BackupError::Io { path: self.path.clone(), source }
    }
}

fn checksum(place: u32, head: &[u8], payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new_with_initial(place);
    crc.update(head);
    crc.update(payload);
    crc.finalize()
}
