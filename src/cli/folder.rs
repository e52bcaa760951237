//! A fresh folder for a run, removed when the run is over.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use actors::entropy::Entropy;

/// A folder under the system's temporary one; dropping it deletes what is in it.
#[derive(Debug)]
pub struct FreshFolder(PathBuf);

impl FreshFolder {
    /// Makes a folder for nobody but its owner, of a name nobody has, starting with `accrue-<purpose>-`.
    pub fn new(purpose: &str) -> io::Result<Self> {
        let name = format!("accrue-{purpose}-{}", Entropy.uuid().simple());
        let path = std::env::temp_dir().join(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for FreshFolder {
    fn drop(&mut self) {
        // Nobody could act on a failure here; the system clears its temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}
