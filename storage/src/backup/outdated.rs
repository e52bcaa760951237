//! What of an archive lies before a backup.

use std::fs;
use std::path::{Path, PathBuf};

use super::BackupError;
use super::read::BackupInfo;
use crate::folder;
use crate::journal::{ChainError, PassedOver, passed_over};

/// The files of an archive that no restore of a backup, to whatever moment, would read.
#[derive(Debug)]
pub struct Outdated {
    archive: PathBuf,
    /// Oldest first.
    files: Vec<PathBuf>,
    pub bytes: u64,
    /// Files of the same store that a restore may read, or that lie behind a gap.
    pub needed: usize,
    /// Why files cannot be read that are of other stores by their names.
    pub foreign: Vec<ChainError>,
}

impl Outdated {
    /// Looks through a folder that may hold files of other stores as well. A damaged file of this
    /// one is refused, unless it lies before the backup by its number. `before`: as
    /// [`check_backup`](super::check_backup) has found it.
    pub fn find(archive: &Path, before: &BackupInfo) -> Result<Self, BackupError> {
        let passed = passed_over(archive, before.store, before.group + 1)?;
        let PassedOver { files, needed, foreign } = passed;
        let mut bytes = 0;
        for path in &files {
            bytes += fs::metadata(path).map_err(|error| unread(path, error))?.len();
        }
        Ok(Self { archive: archive.to_owned(), files, bytes, needed, foreign })
    }

    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Deletes them, the oldest first: ended at any moment, it leaves no gap.
    pub fn delete(self) -> Result<(), BackupError> {
        let failed = |source| BackupError::Folder { folder: self.archive.clone(), source };
        for path in &self.files {
            fs::remove_file(path).map_err(failed)?;
        }
        folder::sync(&self.archive).map_err(failed)
    }
}

fn unread(path: &Path, source: std::io::Error) -> ChainError {
    ChainError::Io { path: path.to_owned(), source }
}
