//! The data folder: created so that it survives a power cut, held by one process at a time.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::error::OpenError;
use crate::open_files::patiently;

/// Who holds the folder: locked while the store is open, with the process id as text.
const LOCK_FILE: &str = "lock";

/// Names, addresses and what was sold to whom: nothing for other accounts of the machine.
const OWNERS_FOLDER: u32 = 0o700;
const OWNERS_FILE: u32 = 0o600;
const OTHERS: u32 = 0o077;

/// The folder, held until this is dropped.
#[derive(Debug)]
pub(crate) struct Held {
    /// The lock goes with the file handle, also when the process is killed.
    lock: File,
}

impl Drop for Held {
    fn drop(&mut self) {
        // A process that another thread is just starting has the handle too, for an instant.
        if let Err(error) = self.lock.unlock() {
            tracing::warn!(%error, "the data folder could not be let go");
        }
    }
}

/// Creates the folder where it is missing, and takes hold of it.
pub(crate) fn hold(folder: &Path) -> Result<Held, OpenError> {
    create(folder)?;
    let refused = |source| refusal(folder, source);
    if let Some(mode) = open_to_others(folder).map_err(refused)? {
        tracing::warn!(
            folder = %folder.display(),
            mode = format_args!("{mode:04o}"),
            "other accounts of this machine can read the data folder; give it mode 0700"
        );
    }
    let path = folder.join(LOCK_FILE);
    let mut lock = for_the_owner()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(refused)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let holder = fs::read_to_string(&path).ok().and_then(|pid| pid.trim().parse().ok());
            return Err(OpenError::InUse { folder: folder.to_owned(), holder });
        }
        Err(TryLockError::Error(source)) => return Err(refused(source)),
    }
    lock.set_len(0).map_err(refused)?;
    writeln!(lock, "{}", std::process::id()).map_err(refused)?;
    Ok(Held { lock })
}

/// How files of the store are made: for nobody but their owner.
pub(crate) fn for_the_owner() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(OWNERS_FILE);
    options
}

/// Creates a folder for nobody but its owner.
pub(crate) fn create_for_the_owner(folder: &Path) -> io::Result<()> {
    DirBuilder::new().mode(OWNERS_FOLDER).create(folder)
}

/// Closes a file or folder that somebody else has made to all but its owner.
pub(crate) fn close_to_others(path: &Path) -> io::Result<()> {
    match open_to_others(path)? {
        None => Ok(()),
        Some(mode) => fs::set_permissions(path, Permissions::from_mode(mode & !OTHERS)),
    }
}

/// The mode of a file or folder, when it is not its owner's alone.
fn open_to_others(path: &Path) -> io::Result<Option<u32>> {
    let mode = fs::metadata(path)?.permissions().mode() & 0o7777;
    Ok((mode & OTHERS != 0).then_some(mode))
}

/// Makes the entries of a folder survive a power cut.
pub(crate) fn sync(folder: &Path) -> io::Result<()> {
    patiently(|| File::open(folder))?.sync_all()
}

pub(crate) fn refusal(folder: &Path, source: io::Error) -> OpenError {
    let folder = folder.to_owned();
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            OpenError::NotPermitted { folder, source }
        }
        _ => OpenError::Io { folder, source },
    }
}

/// The mark of a folder that is being restored into.
pub(crate) fn restoring(folder: &Path) -> PathBuf {
    folder.join("restoring")
}

/// Creates a folder, for its owner alone, and what is missing above it, syncing each folder that
/// got a new entry.
pub(crate) fn create(folder: &Path) -> Result<(), OpenError> {
    let refused = |source| refusal(folder, source);
    let absolute = std::path::absolute(folder).map_err(refused)?;
    let mut missing: Vec<PathBuf> = Vec::new();
    for path in absolute.ancestors() {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => break,
            Ok(_) => {
                return Err(OpenError::NotAFolder {
                    folder: folder.to_owned(),
                    file: path.to_owned(),
                });
            }
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
                    missing.push(path.to_owned());
                }
                _ => return Err(refused(error)),
            },
        }
    }
    for path in missing.iter().rev() {
        let created =
            if *path == absolute { create_for_the_owner(path) } else { fs::create_dir(path) };
        match created {
            Ok(()) => {}
            // Somebody else was faster, which is as good.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => return Err(refused(error)),
        }
        if let Some(above) = path.parent() {
            sync(above).map_err(refused)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_let_go_can_be_held_again_while_a_copy_of_its_handle_is_still_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let held = hold(folder.path()).expect("held");
        let copy = held.lock.try_clone().expect("a copy");
        assert!(matches!(hold(folder.path()), Err(OpenError::InUse { .. })));
        drop(held);
        hold(folder.path()).expect("held again");
        drop(copy);
    }
}
