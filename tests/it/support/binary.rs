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
        Start::in_folder(folder).with(environment).run()
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

/// A start of the program, with its data in the folder `data` of another and its log beside it.
#[derive(Debug)]
pub(crate) struct Start {
    folder: PathBuf,
    environment: Vec<(String, String)>,
    /// What `ulimit` of a shell in front of it is told.
    limit: Option<String>,
}

impl Start {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        let environment = SETTINGS.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { folder: folder.to_owned(), environment: environment.into(), limit: None }
    }

    pub(crate) fn with(mut self, environment: &[(&str, &str)]) -> Self {
        let more = environment.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        self.environment.extend(more);
        self
    }

    /// It may have so many files open and no more.
    pub(crate) fn open_files(mut self, most: u32) -> Self {
        self.limit = Some(format!("-n {most}"));
        self
    }

    /// It may have so many files open unless it asks for more.
    pub(crate) fn soft_open_files(mut self, most: u32) -> Self {
        self.limit = Some(format!("-S -n {most}"));
        self
    }

    /// Its files may have so many blocks of 512 bytes, or of 1,024 where the shell counts so.
    pub(crate) fn file_blocks(mut self, most: u32) -> Self {
        self.limit = Some(format!("-f {most}"));
        self
    }

    /// Starts it, and waits for its line on standard output.
    pub(crate) fn run(self) -> Binary {
        let (process, stdout, line) = self.begin();
        let origin = line.strip_prefix("listening on ").unwrap_or_else(|| {
            panic!("it printed {line:?} instead of its address; its log: {}", self.log())
        });
        let data = self.folder.join("data");
        Binary { process, stdout, data, anonymous: Api::new(origin) }
    }

    /// Starts it where it is to refuse that; what it says.
    pub(crate) fn refused(self) -> String {
        let before = self.log().len();
        let (mut process, _stdout, line) = self.begin();
        let _ = process.kill();
        process.wait().expect("gone");
        assert_eq!(line, "", "it has started");
        self.log().split_off(before)
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("server.log")).unwrap_or_default()
    }

    fn begin(&self) -> (Child, BufReader<ChildStdout>, String) {
        let log = self.folder.join("server.log");
        let log: File = OpenOptions::new().create(true).append(true).open(log).expect("a log");
        let program = env!("CARGO_BIN_EXE_accrue");
        let mut command = match &self.limit {
            None => Command::new(program),
            Some(limit) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", &format!("ulimit {limit} && exec \"$0\" \"$@\""), program]);
                shell
            }
        };
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(self.folder.join("data"));
        command.current_dir(&self.folder).envs(self.environment.iter().cloned());
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut process = command.spawn().expect("the program starts");
        let mut stdout = BufReader::new(process.stdout.take().expect("standard output"));
        let mut line = String::new();
        stdout.read_line(&mut line).expect("a line");
        (process, stdout, line.trim_end().to_owned())
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
