//! The power fails in the middle of the work: what was acknowledged is on the disk.
//!
//! Killing a process never shows whether a write was synced, since the operating system keeps
//! what was handed to it. So the store lies on a file system of its own, in an image file. The
//! writer is stopped, the image is copied as it is, and the copy is what a machine would find
//! after the cut: whatever was not synced has not reached the image. The cache inside the disk
//! is not emulated.
//!
//! Needs the right to mount; says so and passes where it is missing.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "this is a test")]

mod writer;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use storage::{Options, Store};
use writer::{Writer, random, verify};

const ROUNDS: usize = 8;
const IMAGE_BYTES: u64 = 512 * 1024 * 1024;

#[test]
#[ignore = "the process that the other test stops"]
fn writer_process() {
    writer::run();
}

#[test]
fn what_was_acknowledged_outlives_a_power_cut() {
    let home = tempfile::tempdir().unwrap();
    let disk = match Disk::create(home.path(), "disk") {
        Ok(disk) => disk,
        Err(missing) => {
            println!("SKIPPED: no power cut was tried, since {missing}");
            return;
        }
    };
    let mut acknowledged = Vec::new();
    for round in 0..ROUNDS {
        let writer = Writer::start("writer_process", &disk.mounted.join("data"));
        acknowledged.extend(writer.acknowledged(random(60 * round + 1)));
        stop(writer.process.id());
        let after = home.path().join("after.image");
        fs::copy(&disk.image, &after).unwrap();
        acknowledged.extend(writer.kill());

        let found = Disk::mount(&after, &home.path().join("after")).unwrap();
        let store = Store::open(&found.mounted.join("data"), Options::default()).unwrap();
        verify(&store, &acknowledged);
        store.close();
    }
    assert!(acknowledged.len() > ROUNDS, "only {} writes", acknowledged.len());
    println!("{} acknowledged writes outlived {ROUNDS} power cuts", acknowledged.len());
}

/// Stops a process, and returns when none of its threads runs any more.
fn stop(process: u32) {
    run("kill", ["-STOP", &process.to_string()]).unwrap();
    let tasks = PathBuf::from(format!("/proc/{process}/task"));
    let running = |task: PathBuf| {
        let status = fs::read_to_string(task.join("status")).unwrap_or_default();
        !status.lines().any(|line| line.starts_with("State:") && line.contains("stopped"))
    };
    while fs::read_dir(&tasks).unwrap().any(|task| running(task.unwrap().path())) {
        std::thread::yield_now();
    }
}

/// A file system in an image file. Unmounted and let go of when dropped.
struct Disk {
    image: PathBuf,
    device: String,
    mounted: PathBuf,
}

impl Disk {
    fn create(home: &Path, name: &str) -> Result<Self, String> {
        let image = home.join(format!("{name}.image"));
        let file = fs::File::create(&image).map_err(|error| error.to_string())?;
        file.set_len(IMAGE_BYTES).map_err(|error| error.to_string())?;
        run("mkfs.ext4", [OsStr::new("-q"), OsStr::new("-F"), image.as_os_str()])?;
        Self::mount(&image, &home.join(name))
    }

    /// The journal is written for nobody but those who sync: a commit by the clock, in the
    /// middle of the copy, would be no cut but a tear.
    fn mount(image: &Path, at: &Path) -> Result<Self, String> {
        let device = run("losetup", [OsStr::new("-f"), OsStr::new("--show"), image.as_os_str()])?;
        let disk = Self {
            image: image.to_owned(),
            device: device.trim().to_owned(),
            mounted: at.to_owned(),
        };
        fs::create_dir_all(at).map_err(|error| error.to_string())?;
        let device = OsStr::new(&disk.device);
        run("mount", [OsStr::new("-o"), OsStr::new("commit=300"), device, at.as_os_str()])?;
        Ok(disk)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily, so that a process on its way out does not keep the mount.
        let unmounted = run("umount", [OsStr::new("-l"), self.mounted.as_os_str()]);
        let let_go = run("losetup", ["-d", &self.device]);
        for failed in [unmounted, let_go].into_iter().filter_map(Result::err) {
            println!("left behind: {failed}");
        }
    }
}

/// Runs a command, and gives what it printed or why it failed.
fn run<A: AsRef<OsStr>>(
    command: &str,
    arguments: impl IntoIterator<Item = A>,
) -> Result<String, String> {
    let output = Command::new(command)
        .args(arguments)
        .output()
        .map_err(|error| format!("{command} cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(format!("{command} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
