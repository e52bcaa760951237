//! Where a store has its archive, and which file came there last, as its data folder notes it.
//!
//! An archive that has neither that file nor the next is not there, as when its disk is not
//! mounted: what was copied to the folder in its place would be missing in the archive.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::read::ChainError;
use super::seal;
use crate::folder;

/// In the data folder: the number of the file, and behind a line's end the store and the archive.
const NOTE: &str = "archived";
const PARTIAL: &str = "archived.partial";

pub(super) struct Place<'a> {
    /// The data folder.
    home: &'a Path,
    store: u64,
    archive: PathBuf,
}

impl<'a> Place<'a> {
    pub(super) fn of(home: &'a Path, store: u64, archive: &Path) -> Result<Self, ChainError> {
        let absolute = std::path::absolute(archive);
        let failed = |source| ChainError::Io { path: archive.to_owned(), source };
        // A slash at its end makes no other archive of it.
        Ok(Self { home, store, archive: absolute.map_err(failed)?.components().collect() })
    }

    /// The number of the file that was copied last. Makes the folder where none was copied yet,
    /// and refuses one that has lost what was.
    pub(super) fn find(&self) -> Result<Option<u64>, ChainError> {
        let Some(number) = self.noted()? else {
            seal::make(&self.archive)?;
            return Ok(None);
        };
        // A crash may have come between the copying of the next and its note.
        let [last, next] =
            [number, number + 1].map(|number| seal::copied(&self.archive, self.store, number));
        if last.exists() || next.exists() {
            Ok(Some(number))
        } else {
            Err(ChainError::Away { path: last })
        }
    }

    /// Notes that a file was copied, once its copy is durable.
    pub(super) fn note(&self, number: u64) -> Result<(), ChainError> {
        let partial = self.home.join(PARTIAL);
        let write = || {
            let mut options = folder::for_the_owner();
            let mut out = options.write(true).create(true).truncate(true).open(&partial)?;
            out.write_all(format!("{number}\n").as_bytes())?;
            out.write_all(&self.whose())?;
            out.sync_all()?;
            fs::rename(&partial, self.home.join(NOTE))?;
            folder::sync(self.home)
        };
        write().map_err(|source| ChainError::Unwritable { path: partial.clone(), source })
    }

    /// What the note says of this store and this archive; nothing, where it is of others.
    fn noted(&self) -> Result<Option<u64>, ChainError> {
        let path = self.home.join(NOTE);
        let note = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read.map_err(|source| ChainError::Io { path, source })?,
        };
        let mut parts = note.splitn(2, |byte| *byte == b'\n');
        let number = parts.next().and_then(|number| std::str::from_utf8(number).ok());
        let is_ours = parts.next() == Some(self.whose().as_slice());
        Ok(number.filter(|_| is_ours).and_then(|number| number.parse().ok()))
    }

    fn whose(&self) -> Vec<u8> {
        let mut whose = format!("{:016x} ", self.store).into_bytes();
        whose.extend_from_slice(self.archive.as_os_str().as_bytes());
        whose
    }
}
