//! How many groups the disk once held, kept beside the engine's files.
//!
//! An engine that finds damage in its log may take it for the torn end of a crash, cut it off
//! and open as if nothing had been behind it. The watermark is the witness: each group raises a
//! counter row, and, once the group is durable, this file. It is not synced, so it may lag
//! after a power cut, but it is never ahead of what was durable. A store whose counter row
//! stands below the watermark has lost groups that were answered.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::folder;

const FILE: &str = "watermark";
const BYTES: usize = 12;

/// The file that holds the number of the last durable group.
#[derive(Debug)]
pub(super) struct Watermark {
    file: File,
}

impl Watermark {
    /// Opens the file, and gives the number in it: 0 when there is none, or it is torn.
    pub(super) fn open(home: &Path) -> io::Result<(Self, u64)> {
        let mut file = folder::for_the_owner()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(home.join(FILE))?;
        let mut bytes = Vec::with_capacity(BYTES);
        file.read_to_end(&mut bytes)?;
        Ok((Self { file }, read(&bytes).unwrap_or(0)))
    }

    /// Whether the folder has ever held a store that was opened to the end.
    pub(super) fn exists(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Removes the file; one that is absent is no error.
    pub(super) fn remove(folder: &Path) -> io::Result<()> {
        super::sled::absent_is_fine(std::fs::remove_file(folder.join(FILE)))
    }

    pub(super) fn raise(&self, group: u64) -> io::Result<()> {
        let number = group.to_le_bytes();
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&number);
        bytes[8..].copy_from_slice(&crc32fast::hash(&number).to_le_bytes());
        self.file.write_all_at(&bytes, 0)
    }

    /// Makes the number survive a power cut.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_all()
    }
}

fn read(bytes: &[u8]) -> Option<u64> {
    let (number, crc) = bytes.split_first_chunk::<8>()?;
    let whole = crc32fast::hash(number).to_le_bytes() == crc;
    whole.then(|| u64::from_le_bytes(*number))
}
