//! Reads what sled will read, before sled does.
//!
//! sled takes what it cannot read for the torn end of its log, and writes over it: a disk that
//! fails for a moment while the store is opened would cost what was acknowledged. What can be read
//! here it reads from memory a moment later; and when it cannot be read, nothing is opened.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use super::log::{HEADER_BYTES, place};

const CHUNK_BYTES: usize = 256 * 1024;

/// Reads the headers of all segments, and what stands behind the place in the log up to which the
/// newest snapshot tells of it.
pub(super) fn read_ahead(file: &File, told: u64, segment_bytes: usize) -> io::Result<()> {
    let length = file.metadata()?.len();
    let segment = segment_bytes as u64;
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
