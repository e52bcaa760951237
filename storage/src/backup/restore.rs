//! Restoring: the rows of a backup, the groups behind them, and those of the journal behind these.
//!
//! A folder is marked while it is made, and no store opens one with the mark.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::BackupError;
use super::read::{BackupInfo, Blocks, Content};
use crate::error::CommitError;
use crate::export::Importer;
use crate::folder;
use crate::journal::{Chain, ChainError, has_files, read_changes};
use crate::shared::Handle;
use crate::store::{Options, Store};

/// What is to be restored, and to where.
#[derive(Debug)]
pub struct RestorePlan<'p> {
    pub file: &'p Path,
    /// As [`check_backup`](super::check_backup) has found it.
    pub info: &'p BackupInfo,
    /// Empty, or not there yet.
    pub folder: &'p Path,
    /// Folders with files of the journal, sealed ones or as the store had them; one that has none
    /// is refused.
    pub journals: &'p [PathBuf],
    /// Microseconds since 1970: what was written then or later is left out.
    pub until: Option<u64>,
}

/// A store that is restored and not called good yet.
#[derive(Debug)]
pub struct Restoration {
    store: Store,
    folder: PathBuf,
    /// The folder was there before.
    existed: bool,
    /// The last group that it has, by the numbers of the store that was backed up.
    pub group: u64,
    /// When that was written, in microseconds since 1970.
    pub reaches: u64,
    /// The journal went on behind it; else nobody can know what was written later.
    pub goes_on: bool,
}

impl RestorePlan<'_> {
    /// Restores into the folder, with a new [epoch](Store::epoch), and [held](Store::is_held). What
    /// was made is removed again on an error.
    pub fn carry_out(&self, options: Options) -> Result<Restoration, BackupError> {
        if self.until.is_some_and(|until| until <= self.info.reaches) {
            return Err(BackupError::BeforeBackup { reaches: self.info.reaches });
        }
        // Without a word what was written since the backup would be missing.
        for folder in self.journals {
            if !has_files(folder, self.info.store)? {
                let (folder, file) = (folder.clone(), self.file.to_owned());
                return Err(BackupError::OtherJournal { folder, file });
            }
        }
        let existed = self.prepare()?;
        let restored = self.restore(options, existed);
        if restored.is_err() {
            let cleared = clear(self.folder, existed);
            if let Err(error) = cleared {
                tracing::warn!(%error, "what was restored by half could not be removed");
            }
        }
        restored
    }

    /// Makes the folder and marks it; whether it was there.
    fn prepare(&self) -> Result<bool, BackupError> {
        let failed = |source| BackupError::Folder { folder: self.folder.to_owned(), source };
        let existed = match fs::read_dir(self.folder) {
            Ok(mut entries) => match entries.next() {
                None => true,
                Some(_) => return Err(BackupError::NotEmpty(self.folder.to_owned())),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(failed(error)),
        };
        folder::create(self.folder)?;
        let mut options = folder::for_the_owner();
        let mark = options.write(true).create_new(true).open(folder::restoring(self.folder));
        mark.and_then(|mark| mark.sync_all())
            .and_then(|()| folder::sync(self.folder))
            .map_err(failed)?;
        Ok(existed)
    }

    fn restore(&self, options: Options, existed: bool) -> Result<Restoration, BackupError> {
        let store = Store::of(Handle::open_restoring(self.folder, options)?);
        let filled = self.fill(&store);
        if filled.is_err() {
            store.close();
        }
        let (group, reaches, goes_on) = filled?;
        let folder = self.folder.to_owned();
        Ok(Restoration { store, folder, existed, group, reaches, goes_on })
    }

    fn fill(&self, store: &Store) -> Result<(u64, u64, bool), BackupError> {
        let mut importer = Importer::new(store);
        let mut blocks = Blocks::open(self.file)?;
        while let Some(content) = blocks.next()? {
            let (payload, is_group) = match content {
                Content::Rows(payload) => (payload, false),
                Content::Group(payload) => (payload, true),
            };
            let changes = read_changes(&payload).ok_or_else(|| BackupError::Damaged {
                path: blocks.path().to_owned(),
                detail: "its rows have no sense".to_owned(),
            })?;
            if is_group {
                importer.carry_out(changes)?;
            } else {
                importer.add_all(changes)?;
            }
        }
        let (mut group, mut reaches, mut goes_on) = (self.info.group, self.info.reaches, false);
        let mut chain = Chain::new(self.journals, self.info.store, group + 1)?;
        while let Some(next) = chain.next()? {
            if self.until.is_some_and(|until| next.at >= until) {
                goes_on = true;
                break;
            }
            let changes = read_changes(&next.payload).ok_or_else(|| {
                let detail = format!("group {} has no sense", next.number);
                BackupError::Journal(ChainError::Damaged { path: self.folder.to_owned(), detail })
            })?;
            importer.carry_out(changes)?;
            (group, reaches) = (next.number, next.at);
        }
        importer.flush()?;
        store.settle().map_err(CommitError::from)?;
        store.begin_epoch()?;
        Ok((group, reaches, goes_on))
    }
}

impl Restoration {
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Closes the store and removes all of it.
    pub fn give_up(self) -> Result<(), BackupError> {
        self.store.close();
        let cleared = clear(&self.folder, self.existed);
        cleared.map_err(|source| BackupError::Folder { folder: self.folder, source })
    }

    /// Closes the store and takes the mark away: from now on it can be opened.
    pub fn call_good(self) -> Result<(), BackupError> {
        self.store.close();
        let done = fs::remove_file(folder::restoring(&self.folder));
        done.and_then(|()| folder::sync(&self.folder))
            .map_err(|source| BackupError::Folder { folder: self.folder, source })
    }
}

fn clear(folder: &Path, existed: bool) -> io::Result<()> {
    if !existed {
        return fs::remove_dir_all(folder);
    }
    let mark = folder::restoring(folder);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else if entry.path() != mark {
            fs::remove_file(entry.path())?;
        }
    }
    // The last: without it the rest could be taken for a store.
    fs::remove_file(mark)
}
