//! A server of our own as a child process: `accrue serve` on loopback with a folder of its
//! own, so that it can be killed without warning and its memory measured.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::settings::variables;

/// What is set to 0 on a server that is there to be loaded: no limit stands before it.
pub const NO_LIMITS: [&str; 10] = [
    "limits.billing_per_hour",
    "limits.payments_per_hour",
    "limits.dashboard_per_hour",
    "limits.contracts_per_day",
    "limits.amendments_per_day",
    "limits.invoices_per_day",
    "limits.sandbox_per_hour",
    "limits.sandbox_mib",
    "limits.pages_per_minute",
    "limits.connections_per_address",
];

const READY_WITHIN: Duration = Duration::from_secs(120);

/// A running child server; dropping it kills it.
#[derive(Debug)]
pub struct ChildServer {
    executable: PathBuf,
    folder: PathBuf,
    settings: Vec<(String, String)>,
    running: Running,
}

#[derive(Debug)]
struct Running {
    process: Child,
    /// Kept open: a server whose standard output breaks might mind.
    _stdout: BufReader<ChildStdout>,
    address: SocketAddr,
    ready_after: Duration,
}

/// What a process holds in memory, in KiB, as Linux reports it.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    pub now_kib: u64,
    pub peak_kib: u64,
}

impl ChildServer {
    /// Starts `executable serve --demo` with its data in `folder/data`, its log in
    /// `folder/server.log` and `settings` on top, and waits until it is ready. Other settings that
    /// lie about here, in `accrue.toml` or the environment, are those of another server.
    pub fn start(
        executable: &Path,
        folder: &Path,
        settings: &[(String, String)],
    ) -> io::Result<Self> {
        let running = spawn(executable, folder, settings)?;
        let (executable, folder) = (executable.to_owned(), folder.to_owned());
        Ok(Self { executable, folder, settings: settings.to_vec(), running })
    }

    pub fn address(&self) -> SocketAddr {
        self.running.address
    }

    pub fn ready_after(&self) -> Duration {
        self.running.ready_after
    }

    /// Kills it with SIGKILL, in the middle of whatever it does.
    pub fn kill(&mut self) -> io::Result<()> {
        self.running.process.kill()?;
        self.running.process.wait().map(drop)
    }

    /// Starts it again on the same folder, after [`ChildServer::kill`].
    pub fn restart(&mut self) -> io::Result<()> {
        self.running = spawn(&self.executable, &self.folder, &self.settings)?;
        Ok(())
    }

    pub fn memory(&self) -> Option<Memory> {
        memory_of(self.running.process.id())
    }

    /// The processor time that it has used, in all its threads; Linux counts it in hundredths
    /// of a second.
    pub fn processor_time(&self) -> Option<Duration> {
        let path = format!("/proc/{}/stat", self.running.process.id());
        let stat = fs::read_to_string(path).ok()?;
        // The second field, the program's name in brackets, may hold spaces; user and system
        // time are the 12th and 13th after it.
        let (_, fields) = stat.rsplit_once(") ")?;
        let mut times = fields.split(' ').skip(11).take(2).map(str::parse::<u64>);
        let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
        Some(Duration::from_millis((user + system) * 10))
    }
}

/// What a process holds in memory.
pub fn memory_of(process: u32) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kib = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').trim().trim_end_matches("kB").trim().parse().ok()
    };
    Some(Memory { now_kib: kib("VmRSS")?, peak_kib: kib("VmHWM")? })
}

impl Drop for ChildServer {
    fn drop(&mut self) {
        let _ = self.kill();
    }
}

fn spawn(executable: &Path, folder: &Path, settings: &[(String, String)]) -> io::Result<Running> {
    let log = folder.join("server.log");
    let stderr: File = OpenOptions::new().create(true).append(true).open(&log)?;
    let mut command = Command::new(executable);
    command.args(["serve", "--config", "/dev/null", "--demo", "--listen", "127.0.0.1:0", "--data"]);
    command.arg(folder.join("data"));
    for (variable, _) in variables() {
        command.env_remove(variable);
    }
    for (name, value) in settings {
        command.arg("--set").arg(format!("{name}={value}"));
    }
    let begun = Instant::now();
    let mut process = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(stderr).spawn()?;
    match ready(&mut process) {
        Ok((stdout, address)) => {
            Ok(Running { process, _stdout: stdout, address, ready_after: begun.elapsed() })
        }
        Err(error) => {
            let _ = process.kill();
            let _ = process.wait();
            let said = fs::read_to_string(&log).unwrap_or_default();
            let last = said.trim_end().rsplit('\n').next().unwrap_or_default();
            Err(io::Error::other(format!("the server did not start: {error}; it said: {last}")))
        }
    }
}

/// Reads the ready line, on a thread of its own so that the wait can end.
fn ready(process: &mut Child) -> io::Result<(BufReader<ChildStdout>, SocketAddr)> {
    let stdout = process.stdout.take().ok_or_else(|| io::Error::other("no standard output"))?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(stdout);
        let mut line = String::new();
        let read = reader.read_line(&mut line);
        let _ = sender.send(read.map(|_| (reader, line)));
    });
    let (reader, line) = receiver
        .recv_timeout(READY_WITHIN)
        .map_err(|_| io::Error::other("not ready in time"))??;
    let address = ready_address(&line)
        .ok_or_else(|| io::Error::other(format!("unexpected first line {:?}", line.trim_end())))?;
    Ok((reader, address))
}

/// The address of `listening on http://127.0.0.1:8080`.
fn ready_address(line: &str) -> Option<SocketAddr> {
    line.trim_end().strip_prefix("listening on http://")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ready_line_names_the_address() {
        let address = ready_address("listening on http://127.0.0.1:8080\n");
        assert_eq!(address, Some(([127, 0, 0, 1], 8080).into()));
        assert_eq!(ready_address(""), None);
        assert_eq!(ready_address("listening on nothing\n"), None);
    }
}
