//! The file of a backup: written beside, and given its name once it is proven.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// It has the key of secrets.
const OWNER_ONLY: u32 = 0o600;
/// Bytes after which the disk is asked to have them: all at the end would keep a server waiting
/// that writes to the same disk.
const SYNC_BYTES: usize = 4 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Target {
    file: File,
    partial: PathBuf,
    target: PathBuf,
    /// Bytes that the disk need not have yet.
    unsynced: usize,
    done: bool,
}

impl Target {
    pub(super) fn begin(target: &Path) -> anyhow::Result<Self> {
        let refused =
            || format!("{} is there already; a backup overwrites nothing", target.display());
        anyhow::ensure!(!target.exists(), refused());
        let mut name = target.file_name().context("the file has no name")?.to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let partial = target.with_file_name(name);
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(OWNER_ONLY).open(&partial);
        let file = file.with_context(|| format!("{} cannot be made", partial.display()))?;
        Ok(Self { file, partial, target: target.to_owned(), unsynced: 0, done: false })
    }

    /// Where it stands until it is proven.
    pub(super) fn partial(&self) -> &Path {
        &self.partial
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let written = self.file.write_all(bytes).and_then(|()| self.sync_some(bytes.len()));
        written.with_context(|| format!("{} cannot be written", self.partial.display()))
    }

    fn sync_some(&mut self, more: usize) -> io::Result<()> {
        self.unsynced += more;
        if self.unsynced >= SYNC_BYTES {
            self.unsynced = 0;
            self.file.sync_data()?;
        }
        Ok(())
    }

    /// Gives the file its name, unless another has it by now.
    pub(super) fn finish(mut self) -> anyhow::Result<()> {
        let done = self.file.sync_all().and_then(|()| self.rename());
        done.with_context(|| format!("{} cannot be made", self.target.display()))?;
        self.done = true;
        Ok(())
    }

    fn rename(&self) -> io::Result<()> {
        // A second name for the same file never replaces another.
        match fs::hard_link(&self.partial, &self.target) {
            Ok(()) => fs::remove_file(&self.partial)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // Not every disk knows second names.
            Err(_) if !self.target.exists() => fs::rename(&self.partial, &self.target)?,
            Err(error) => return Err(error),
        }
        let folder = self.target.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        if !self.done {
            // What is left of it is of no use to anybody.
            let _ = fs::remove_file(&self.partial);
        }
    }
}
