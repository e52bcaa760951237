//! A PostgreSQL server of the bench's own: in a fresh folder, on a Unix socket only, with the
//! durable settings it comes with; stopped and removed when it is dropped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use accrue::cli::folder::FreshFolder;
use anyhow::{Context as _, bail};

/// A running cluster.
#[derive(Debug)]
pub(crate) struct Cluster {
    programs: PathBuf,
    folder: FreshFolder,
}

impl Cluster {
    /// Makes and starts one.
    pub(crate) fn start() -> anyhow::Result<Self> {
        let programs = programs()?;
        let folder = FreshFolder::new("postgres")?;
        let cluster = Self { programs, folder };
        if is_root() {
            // PostgreSQL refuses to run as root: its own user gets the folder.
            good(Command::new("chown").arg("postgres").arg(cluster.socket_folder()))?;
        }
        let data = cluster.data();
        good(cluster.program("initdb").args(["-A", "trust", "-U", "bench", "-D"]).arg(&data))?;
        let options = format!(
            "-c listen_addresses= -c max_connections=100 -c unix_socket_directories={}",
            cluster.socket_folder().display()
        );
        let log = cluster.socket_folder().join("log");
        let mut start = cluster.program("pg_ctl");
        start.arg("-D").arg(&data).arg("-l").arg(&log).args(["-w", "-o", &options, "start"]);
        // The server keeps running: its output must not be a pipe that nobody closes.
        start.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        if !start.status()?.success() {
            bail!("PostgreSQL did not start: {}", fs::read_to_string(log).unwrap_or_default());
        }
        Ok(cluster)
    }

    /// The folder of its socket.
    pub(crate) fn socket_folder(&self) -> &Path {
        self.folder.path()
    }

    /// Its version, in its own words.
    pub(crate) fn version(&self) -> String {
        let said = Command::new(self.programs.join("postgres")).arg("--version").output();
        said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned()).unwrap_or_default()
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        let path = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--"]).arg(path);
            command
        } else {
            Command::new(path)
        };
        command.current_dir("/");
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let mut stop = self.program("pg_ctl");
        let _ = stop.arg("-D").arg(self.data()).args(["-w", "-m", "immediate", "stop"]).output();
    }
}

/// Where the server's programs are: Debian's newest version, or what is installed now.
fn programs() -> anyhow::Result<PathBuf> {
    if let Some(found) = installed() {
        return Ok(found);
    }
    if !is_root() {
        bail!("PostgreSQL is not installed: apt-get install postgresql");
    }
    good(Command::new("apt-get").args(["install", "-y", "--no-install-recommends", "postgresql"]))?;
    installed().context("PostgreSQL was installed but is not in /usr/lib/postgresql")
}

fn installed() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.filter_map(|entry| Some(entry.ok()?.path())).max_by_key(version)?;
    Some(newest.join("bin")).filter(|programs| programs.join("initdb").exists())
}

fn is_root() -> bool {
    let said = Command::new("id").arg("-u").output();
    said.is_ok_and(|said| said.stdout.trim_ascii() == b"0")
}

fn good(command: &mut Command) -> anyhow::Result<Output> {
    let output = command.output().with_context(|| format!("{command:?}"))?;
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(output)
}
