//! A process that writes under load and says on its standard output what was acknowledged, and
//! the check that all of it is there. For tests that take the process or its disk away.

#![allow(dead_code, unused_imports, reason = "each of the test binaries uses a part")]

mod check;
mod load;

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use storage::{IdKind, Index, Table};

pub(crate) use check::{verify, write_on};
pub(crate) use load::{BACKUP, LIVES, REFUSED, archive_of, options, run, run_lives, run_until};

/// Where the writer's process writes; its presence makes a test binary that process.
const FOLDER: &str = "STORAGE_WRITER_FOLDER";
const THREADS: u64 = 12;
const SEQUENCES: u64 = 3;
/// Keys that all threads claim, again and again.
const CONTESTED: u64 = 40;

/// The numbered paper of a sequence: who wrote it, the how-manieth of its writer, an id.
const PAPERS: Table<(u64, u64), String> = Table::new(1, "papers");
/// What a key was claimed for: the sequence and the number of the paper.
const CLAIMS: Table<(u64, u64), String> = Table::new(2, "claims");
/// How far a writer has come.
const PROGRESS: Table<u64, u64> = Table::new(3, "progress");
/// Bulk that is overwritten and deleted, so that the log grows and is cleaned.
const BULK: Table<(u64, u64), Vec<u8>> = Table::new(4, "bulk");
const IDS: IdKind = IdKind::new(1, "ids");
/// Each round of each writer, with its id.
const ROUNDS: Index = Index::new(1, "rounds");

/// An acknowledged write: its writer, its place among the writer's writes, what it drew.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Acknowledged {
    writer: u64,
    round: u64,
    sequence: u64,
    number: u64,
    id: u64,
}

/// The writing process, seen from outside.
pub(crate) struct Writer {
    pub(crate) process: Child,
    lines: Receiver<String>,
}

impl Writer {
    /// Starts this test binary again as the writer. `test` is the test that calls [`run`].
    pub(crate) fn start(test: &str, folder: &Path) -> Self {
        Self::start_as(Command::new(std::env::current_exe().unwrap()), test, folder)
    }

    /// Like [`start`](Writer::start), with a command that runs this test binary.
    pub(crate) fn start_as(mut command: Command, test: &str, folder: &Path) -> Self {
        let mut process = command
            .args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"])
            .env(FOLDER, folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            // A last line without its end was cut off, and was not said.
            for line in output.split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
            }
        });
        Self { process, lines }
    }

    /// Waits until so many writes are acknowledged.
    pub(crate) fn acknowledged(&self, count: usize) -> Vec<Acknowledged> {
        self.lines.iter().filter_map(|line| parse(&line)).take(count).collect()
    }

    /// Kills the process, and gives all that it has said.
    pub(crate) fn kill(mut self) -> Vec<Acknowledged> {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.lines.iter().filter_map(|line| parse(&line)).collect()
    }

    /// Waits until the process ends by itself, and gives its exit code and all that it has said.
    pub(crate) fn end(mut self) -> (Option<i32>, Vec<Acknowledged>) {
        let said = self.lines.iter().filter_map(|line| parse(&line)).collect();
        (self.process.wait().unwrap().code(), said)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A random number below `limit`, printed before it is used.
pub(crate) fn random(limit: usize) -> usize {
    let drawn = usize::try_from(RandomState::new().hash_one(0) % limit as u64).unwrap();
    eprintln!("drawn: {drawn} below {limit}");
    drawn
}

/// What a line of the process says, when it is about a write.
pub(crate) fn parse(line: &str) -> Option<Acknowledged> {
    let fields: Option<Vec<u64>> =
        line.strip_prefix("ack ")?.strip_suffix(" .")?.split(' ').map(|n| n.parse().ok()).collect();
    let [writer, round, sequence, number, id] = fields?.try_into().ok()?;
    Some(Acknowledged { writer, round, sequence, number, id })
}
