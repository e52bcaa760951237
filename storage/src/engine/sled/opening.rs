//! Making the files of sled and opening them, so that a crash at any moment is survived.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use sled::Db;

use super::read_ahead::read_ahead;
use super::{absent_is_fine, log, snapshot};
use crate::engine::EngineError;
use crate::engine::watermark::Watermark;
use crate::error::OpenError;
use crate::fatal::quietly_guarded;
use crate::folder;

/// The largest that sled allows. Fixed when the folder is created; a quarter of it is the size
/// from which on a page would be spilled.
const SEGMENT_BYTES: usize = 16 * 1024 * 1024;

/// Stands while sled's files are created for the first time: a power cut then leaves files that
/// sled cannot open, and nothing in them was ever acknowledged.
pub(super) const CREATING: &str = "creating";
pub(super) const DATA_FILE: &str = "db";
pub(super) const SPILL_FOLDER: &str = "blobs";
pub(super) const SETTINGS_FILE: &str = "conf";
pub(super) const SNAPSHOTS: &str = "snap.";
/// What is not synced yet is less than a segment, and stands in two of them at most.
const WRITTEN_AGAIN: usize = 3;
/// How the name of a snapshot ends that is being written.
pub(super) const UNFINISHED: &str = ".generating";

/// Whether a store was ever made in the folder, be it whole or not.
pub(crate) fn is_there(home: &Path) -> bool {
    home.join(CREATING).exists() || home.join(DATA_FILE).exists() || Watermark::exists(home)
}

/// Marks that sled's files are being created, when there are none. A creation that a crash has
/// interrupted is swept away and begun anew.
pub(super) fn begin_creation(home: &Path) -> Result<bool, OpenError> {
    let refused = |source| folder::refusal(home, source);
    if home.join(CREATING).exists() {
        sweep(home).map_err(refused)?;
    } else if home.join(DATA_FILE).exists() {
        return Ok(false);
    } else if Watermark::exists(home) {
        return Err(OpenError::Damaged {
            folder: home.to_owned(),
            detail: format!("its file {DATA_FILE} is missing"),
        });
    }
    let mark = folder::for_the_owner().write(true).create(true).open(home.join(CREATING));
    let mark = mark.map_err(refused)?;
    mark.sync_all().and_then(|()| folder::sync(home)).map_err(refused)?;
    Ok(true)
}

/// Makes a folder that a crash may have left fit for sled, which overlooks four things. It would
/// take a snapshot that was not finished for the latest one. It frees segments for good before the
/// name of a finished one is durable: that one counts. The snapshot that it writes and syncs while
/// it opens tells of what it has read: of a killed process, or one whose sync was refused, that need
/// not be durable. And what it cannot read it takes for damage that a crash has left.
pub(super) fn mend_crash(home: &Path) -> io::Result<()> {
    name_finished_snapshots(home)?;
    remove_snapshots(home, |name| name.ends_with(UNFINISHED))?;
    let data = File::options().read(true).write(true).open(home.join(DATA_FILE))?;
    read_ahead(&data, newest(home)?.unwrap_or(0), segment_bytes())?;
    write_again(&data, segment_bytes())?;
    data.sync_all()
}

/// Writes the last segments of the log once more, more than is ever written between two syncs: what
/// an operating system could not write it forgets, so that it is read and no sync makes it durable.
fn write_again(data: &File, segment_bytes: usize) -> io::Result<()> {
    let mut segment = vec![0; segment_bytes];
    let length = data.metadata()?.len();
    for (_, offset) in log::segments(data, segment_bytes as u64)?.iter().rev().take(WRITTEN_AGAIN) {
        let segment = &mut segment[..segment_bytes.min((length - offset) as usize)];
        data.read_exact_at(segment, *offset)?;
        data.write_all_at(segment, *offset)?;
    }
    Ok(())
}

/// Goes on where sled would have renamed a snapshot that it had written and synced.
fn name_finished_snapshots(home: &Path) -> io::Result<()> {
    for entry in fs::read_dir(home)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(finished) = name.strip_suffix(UNFINISHED) else { continue };
        let Some(place) = place_of(finished) else { continue };
        let snapshot = fs::read(&path)?;
        if newest(home)? <= Some(place) && said(&snapshot).is_some() {
            snapshot::write(home, &snapshot, place)?;
        }
    }
    Ok(())
}

/// What a snapshot says, where it was written to its end: its length and its checksum follow.
pub(super) fn said(snapshot: &[u8]) -> Option<&[u8]> {
    const END_BYTES: usize = 12;
    let length = snapshot.len().checked_sub(END_BYTES).filter(|length| *length > 0)?;
    let (said, end) = snapshot.split_at(length);
    let is_whole = end[..8] == (length as u64).to_le_bytes()
        && end[8..] == crc32fast::hash(said).to_le_bytes();
    is_whole.then_some(said)
}

/// The name of the snapshot that ends at this place in the log.
pub(super) fn name_of(place: u64) -> String {
    format!("{SNAPSHOTS}{place:016X}")
}

/// Where in the log the newest snapshot ends, if there is one.
pub(super) fn newest(home: &Path) -> io::Result<Option<u64>> {
    let mut newest = None;
    for entry in fs::read_dir(home)? {
        let name = entry?.file_name();
        newest = newest.max(place_of(&name.to_string_lossy()));
    }
    Ok(newest)
}

/// Where in the log the snapshot of this name ends.
fn place_of(name: &str) -> Option<u64> {
    u64::from_str_radix(name.strip_prefix(SNAPSHOTS)?, 16).ok()
}

/// Removes the snapshots with such names.
pub(super) fn remove_snapshots(home: &Path, which: impl Fn(&str) -> bool) -> io::Result<()> {
    for entry in fs::read_dir(home)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(SNAPSHOTS) && which(&name) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn sweep(home: &Path) -> io::Result<()> {
    remove_snapshots(home, |_| true)?;
    absent_is_fine(fs::remove_file(home.join(DATA_FILE)))?;
    absent_is_fine(fs::remove_file(home.join(SETTINGS_FILE)))?;
    absent_is_fine(fs::remove_dir_all(home.join(SPILL_FOLDER)))?;
    Watermark::remove(home)
}

/// sled gives its files what the process gives any file.
pub(super) fn close_to_others(home: &Path) -> io::Result<()> {
    for entry in fs::read_dir(home)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let engines = [DATA_FILE, SETTINGS_FILE, SPILL_FOLDER].contains(&&*name);
        if engines || name.starts_with(SNAPSHOTS) {
            folder::close_to_others(&home.join(&*name))?;
        }
    }
    Ok(())
}

pub(super) fn open_sled(home: &Path, cache_bytes: u64) -> Result<Db, EngineError> {
    let config = sled::Config::new()
        .path(home)
        // sled counts what pages take on the disk; in memory that is twice as much.
        .cache_capacity(cache_bytes / 2)
        .segment_size(segment_bytes())
        .use_compression(false)
        // The committer is the only one that flushes.
        .flush_every_ms(None);
    // On damage sled may panic in the middle of opening.
    Ok(quietly_guarded(|| config.open()).map_err(EngineError::Broken)??)
}

/// The bytes of the engine's segments.
pub(in crate::engine) fn segment_bytes() -> usize {
    #[cfg(feature = "testing")]
    if let Some(bytes) = crate::testing::segment_bytes() {
        return bytes;
    }
    SEGMENT_BYTES
}
