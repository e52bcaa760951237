//! Making the files of sled and opening them, so that a crash at any moment is survived.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use sled::Db;

use super::absent_is_fine;
use super::read_ahead::read_ahead;
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
/// How the name of a snapshot ends that is being written.
const UNFINISHED: &str = ".generating";

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
/// it opens tells of what it has read: of a killed process that need not be durable. And what it
/// cannot read it takes for damage that a crash has left.
pub(super) fn mend_crash(home: &Path) -> io::Result<()> {
    name_finished_snapshots(home)?;
    remove_snapshots(home, UNFINISHED)?;
    File::open(home.join(DATA_FILE))?.sync_all()?;
    read_ahead(home, segment_bytes())
}

/// Goes on where sled would have renamed a snapshot that it had written and synced.
fn name_finished_snapshots(home: &Path) -> io::Result<()> {
    for entry in fs::read_dir(home)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(finished) = name.strip_suffix(UNFINISHED) else { continue };
        if finished.starts_with(SNAPSHOTS) && is_whole(&fs::read(&path)?) {
            File::open(&path)?.sync_all()?;
            fs::rename(&path, home.join(finished))?;
            folder::sync(home)?;
        }
    }
    Ok(())
}

/// Whether a snapshot was written to its end: what it says, its length and its checksum.
fn is_whole(snapshot: &[u8]) -> bool {
    const END_BYTES: usize = 12;
    let Some(length) = snapshot.len().checked_sub(END_BYTES).filter(|length| *length > 0) else {
        return false;
    };
    let (said, end) = snapshot.split_at(length);
    end[..8] == (length as u64).to_le_bytes() && end[8..] == crc32fast::hash(said).to_le_bytes()
}

fn remove_snapshots(home: &Path, ending: &str) -> io::Result<()> {
    for entry in fs::read_dir(home)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(SNAPSHOTS) && name.ends_with(ending) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn sweep(home: &Path) -> io::Result<()> {
    remove_snapshots(home, "")?;
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
