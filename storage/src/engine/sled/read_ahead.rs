//! Reads what sled will read, before sled does.
//!
//! sled takes what it cannot read for the torn end of its log, and writes over it: a disk that
//! fails for a moment while the store is opened would cost what was acknowledged. What can be read
//! here it reads from memory a moment later; and when it cannot be read, nothing is opened.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::opening::{DATA_FILE, SNAPSHOTS};

const CHUNK_BYTES: usize = 256 * 1024;
/// A segment begins with a checksum, its place in the log, and another place.
const HEADER_BYTES: usize = 20;

/// Reads the headers of all segments, and what the newest snapshot does not tell of.
pub(super) fn read_ahead(home: &Path, segment_bytes: usize) -> io::Result<()> {
    let file = File::open(home.join(DATA_FILE))?;
    let length = file.metadata()?.len();
    let (segment, told) = (segment_bytes as u64, newest_snapshot(home)?);
    let mut buffer = vec![0; CHUNK_BYTES];
    for base in (0..length).step_by(segment_bytes) {
        let end = length.min(base + segment);
        let header = &mut buffer[..HEADER_BYTES.min((end - base) as usize)];
        file.read_exact_at(header, base)?;
        if place(header).is_some_and(|place| place < told / segment * segment) {
            continue;
        }
        for at in (base..end).step_by(CHUNK_BYTES) {
            let chunk = CHUNK_BYTES.min((end - at) as usize);
            file.read_exact_at(&mut buffer[..chunk], at)?;
        }
    }
    Ok(())
}

/// Where in the log the newest snapshot ends, which its name tells; 0 when there is none.
fn newest_snapshot(home: &Path) -> io::Result<u64> {
    let mut newest = 0;
    for entry in fs::read_dir(home)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let place = name.strip_prefix(SNAPSHOTS).and_then(|hex| u64::from_str_radix(hex, 16).ok());
        newest = newest.max(place.unwrap_or(0));
    }
    Ok(newest)
}

/// Where in the log a segment begins; `None` for a header that is none.
fn place(header: &[u8]) -> Option<u64> {
    let place = i64::from_le_bytes(*header.get(4..)?.first_chunk()?) ^ i64::MAX;
    u64::try_from(place).ok()
}
