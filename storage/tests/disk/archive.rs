//! What is restored from the archive and what a cut has left of the journal.

use std::fs;
use std::path::{Path, PathBuf};

use storage::{Fatal, Options, RestorePlan, check_backup};
use tempfile::TempDir;

use crate::cuts::home;
use crate::writer::{Acknowledged, archive_of, options, verify};

/// A backup from before all else, on another disk.
pub(crate) struct Origin {
    home: TempDir,
}

impl Origin {
    pub(crate) fn new() -> Self {
        Self { home: home() }
    }

    /// Where a process puts it that opens a new store.
    pub(crate) fn file(&self) -> PathBuf {
        self.home.path().join("backup")
    }

    /// Restores a disk of which the archive and the files of the journal are left.
    pub(crate) fn check(&self, disk: &Path, acknowledged: &[Acknowledged]) {
        if acknowledged.is_empty() {
            // The store may not be there yet.
            return;
        }
        let info = check_backup(&self.file(), |_, _| {}).unwrap();
        let (data, target) = (disk.join("data"), home());
        let archive = archive_of(&data);
        let mut journals = vec![data.join("journal")];
        journals.extend(Some(archive).filter(|archive| has_copies(archive)));
        let plan = RestorePlan {
            file: &self.file(),
            info: &info,
            folder: &target.path().join("data"),
            journals: &journals,
            until: None,
        };
        let restored = plan.carry_out(Options { fatal: Fatal::Poison, ..options() });
        let restored = restored.unwrap_or_else(|refused| panic!("{refused}"));
        verify(restored.store(), acknowledged);
        restored.give_up().unwrap();
    }
}

fn has_copies(archive: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(archive) else { return false };
    entries.any(|entry| entry.unwrap().path().extension().is_some_and(|kind| kind == "sealed"))
}
