//! Files that no row tells of.
//!
//! A crash leaves files of runs that were never finished, which hold nothing that is not in the
//! log or in other runs, and are removed. It may leave a finished one as well, in the moment
//! between its end and its row, or of one that was merged away; so may a folder that was put
//! together from two backups. Nobody can tell these apart, so they are kept, out of the way.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::folder;
use crate::index::run::{self, Run};

const FOLDER: &str = "stray";

/// Clears the folder of all that is not a file of these runs.
pub(super) fn clear(home: &Path, runs: &[Arc<Run>]) -> io::Result<()> {
    let stray = home.join(FOLDER);
    let mut changed = false;
    for entry in fs::read_dir(home)? {
        let entry = entry?;
        let path = entry.path();
        if path == stray || runs.iter().any(|known| run::path(home, known.id) == path) {
            continue;
        }
        changed = true;
        if run::is_cut_short(&path)? {
            fs::remove_file(&path)?;
            continue;
        }
        if !stray.exists() {
            folder::create_for_the_owner(&stray)?;
        }
        let kept = stray.join(entry.file_name());
        tracing::warn!(
            file = %path.display(),
            kept = %kept.display(),
            "no row tells of this file: moved away, to be deleted once nothing is missed"
        );
        fs::rename(&path, &kept)?;
    }
    if changed { folder::sync(home) } else { Ok(()) }
}
