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

/// Makes a folder that a crash may have left fit for sled, which overlooks three things. It would
/// take a snapshot that was not finished for the latest one. The snapshot that it writes and syncs
/// while it opens tells of what it has read: of a killed process that need not be durable. And
/// what it cannot read it takes for damage that a crash has left.
pub(super) fn mend_crash(home: &Path) -> io::Result<()> {
    remove_snapshots(home, UNFINISHED)?;
    File::open(home.join(DATA_FILE))?.sync_all()?;
    read_ahead(home, segment_bytes())
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

fn segment_bytes() -> usize {
    #[cfg(feature = "testing")]
    if let Some(bytes) = crate::testing::segment_bytes() {
        return bytes;
    }
    SEGMENT_BYTES
}
