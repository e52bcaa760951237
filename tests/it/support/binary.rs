//! The real program as a child process that can be killed without warning and started again on
//! the same folder.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use super::api::Api;
use super::server::OPERATOR;

/// A running `accrue serve`; dropping it kills it.
#[derive(Debug)]
pub(crate) struct Binary {
    process: Child,
    stdout: BufReader<ChildStdout>,
    data: PathBuf,
    /// Requests without a key and without a prefix.
    pub(crate) anonymous: Api,
}

const SETTINGS: [(&str, &str); 9] = [
    ("ACCRUE_DEMO", "true"),
    ("ACCRUE_OPERATOR_TOKEN", OPERATOR),
    ("ACCRUE_LIMITS__BILLING_PER_HOUR", "0"),
    ("ACCRUE_LIMITS__PAYMENTS_PER_HOUR", "0"),
    ("ACCRUE_LIMITS__CONTRACTS_PER_DAY", "0"),
    ("ACCRUE_LIMITS__AMENDMENTS_PER_DAY", "0"),
    ("ACCRUE_LIMITS__INVOICES_PER_DAY", "0"),
    ("ACCRUE_LIMITS__SANDBOX_PER_HOUR", "0"),
    ("ACCRUE_LIMITS__PAGES_PER_MINUTE", "0"),
];

impl Binary {
    /// Starts it with its data in `folder/data` and waits for its line on standard output.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    /// The same with more in its environment.
    pub(crate) fn start_with(folder: &Path, environment: &[(&str, &str)]) -> Self {
        let log: File = OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("server.log"))
            .expect("a log");
        let mut command = Command::new(env!("CARGO_BIN_EXE_accrue"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(folder.join("data"));
        command.current_dir(folder).envs(SETTINGS).envs(environment.iter().copied());
        let mut process = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("the program starts");
        let mut stdout = BufReader::new(process.stdout.take().expect("standard output"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        let origin = line.trim_end().strip_prefix("listening on ");
        let origin = origin.unwrap_or_else(|| {
            let log = std::fs::read_to_string(folder.join("server.log")).unwrap_or_default();
            panic!("it printed {line:?} instead of its address; its log: {log}")
        });
        let data = folder.join("data");
        Self { process, stdout, data, anonymous: Api::new(origin) }
    }

    /// Kills it with SIGKILL.
    pub(crate) fn kill(mut self) {
        self.process.kill().expect("killed");
        self.process.wait().expect("gone");
    }

    /// Kills it for the last time, and demands that what it has stored is right.
    pub(crate) fn kill_for_good(self) {
        let data = self.data.clone();
        self.kill();
        verified(&data);
    }

    /// Asks it to stop with SIGTERM, and answers its exit code and what else it printed. What it
    /// has stored is right then.
    pub(crate) fn terminate(self) -> (Option<i32>, String) {
        self.stop_by("-TERM")
    }

    /// The same with another signal.
    pub(crate) fn stop_by(mut self, signal: &str) -> (Option<i32>, String) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().expect("kill");
        assert!(sent.success());
        let code = self.end();
        let mut rest = String::new();
        std::io::Read::read_to_string(&mut self.stdout, &mut rest).expect("text");
        verified(&self.data);
        (code, rest)
    }

    /// Waits until it has ended, and answers its exit code.
    pub(crate) fn end(&mut self) -> Option<i32> {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().expect("a child") {
                return status.code();
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "it did not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Binary {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Demands that what is stored in a folder is right.
pub(crate) fn verified(data: &Path) {
    let store = storage::Store::open(data, storage::Options::default());
    let store = store.expect("the folder can be opened again");
    let report = actors::verify::verify(&store, actors::verify::Rows::Still);
    store.close();
    let faults = report.expect("the folder can be read").faults;
    assert!(faults.is_empty(), "what is stored is wrong: {faults:#?}");
}
