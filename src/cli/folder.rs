//! A fresh folder for a run, removed when the run is over.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use actors::entropy::Entropy;
use rustix::fs::{FsWord, statfs};

/// How Linux numbers the kinds of file systems that are memory: tmpfs and ramfs.
const OF_MEMORY: [FsWord; 2] = [0x0102_1994, 0x8584_58f6];

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

    /// Whether it is in memory, where a sync costs nothing and tells nothing of a disk.
    pub fn is_in_memory(&self) -> bool {
        is_in_memory(&self.0)
    }
}

fn is_in_memory(folder: &Path) -> bool {
    statfs(folder).is_ok_and(|found| OF_MEMORY.contains(&found.f_type))
}

impl Drop for FreshFolder {
    fn drop(&mut self) {
        // Nobody could act on a failure here; the system clears its temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_in_memory_where_a_tmpfs_is_mounted() {
        let mounts = fs::read_to_string("/proc/self/mounts").expect("Linux lists its mounts");
        for point in ["/proc", "/sys", "/dev/shm"] {
            let mount = mounts.lines().rev().map(|line| line.split(' ').collect::<Vec<_>>());
            let mut kinds = mount.filter(|fields| fields[1] == point).map(|fields| fields[2]);
            if let Some(kind) = kinds.next() {
                assert_eq!(is_in_memory(Path::new(point)), kind == "tmpfs", "{point} {kind}");
            }
        }
    }
}
