//! A process that writes under load and says on its standard output what was acknowledged, and
//! the check that all of it is there. For tests that take the process or its disk away.

#![allow(dead_code, reason = "each of the test binaries uses a part")]

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use storage::{
    Batch, CommitError, Fingerprint, IdKind, Index, IndexOptions, Options, Scan, Seen, Store, Table,
};

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
/// Bulk, so that the log grows and is cleaned.
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

fn parse(line: &str) -> Option<Acknowledged> {
    let fields: Option<Vec<u64>> =
        line.strip_prefix("ack ")?.strip_suffix(" .")?.split(' ').map(|n| n.parse().ok()).collect();
    let [writer, round, sequence, number, id] = fields?.try_into().ok()?;
    Some(Acknowledged { writer, round, sequence, number, id })
}

/// The writer's process: writes until it is killed. Does nothing in a process that nobody has
/// started as one.
pub(crate) fn run() {
    run_until(u64::MAX, |_| {});
}

/// Like [`run`]; when so many writes were acknowledged, `then` is called once.
pub(crate) fn run_until(count: u64, then: impl Fn(&Store) + Sync) {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let (then, acknowledged) = (&then, &AtomicU64::new(0));
    // Runs are written and merged all the time.
    let index = IndexOptions { table: 200, page: 16, fan_in: 2, ..IndexOptions::default() };
    let options = Options { index, ..Options::default() };
    let store = Store::open(Path::new(&folder), options).unwrap();
    thread::scope(|scope| {
        for writer in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                let done = store.get(PROGRESS, &writer).unwrap().unwrap_or(0);
                for round in done + 1.. {
                    write(store, writer, round);
                    if acknowledged.fetch_add(1, Ordering::Relaxed) == count {
                        then(store);
                    }
                }
            });
        }
    });
}

fn write(store: &Store, writer: u64, round: u64) {
    let sequence = (writer + round) % SEQUENCES;
    let id = store.next_id(IDS);
    let mut batch = Batch::new();
    let drawn = batch.draw(&sequence);
    // Every fourth write claims a key that others want too, the rest one of their own.
    let key =
        if round.is_multiple_of(4) { (u64::MAX, round / 4 % CONTESTED) } else { (writer, round) };
    batch.claim(CLAIMS, &key, &format!("{writer} {round}"));
    batch.put(PROGRESS, &writer, &round);
    let claim = (fingerprint(writer, round), u128::from(id).to_be_bytes());
    batch.claim_fingerprints(ROUNDS, sequence, vec![claim], Seen::default());
    for slot in 0..4 {
        batch.put(BULK, &(writer, (round * 7 + slot) % 500), &vec![7; 300]);
    }
    batch.with_numbers(move |numbers, rows| {
        let paper = format!("{writer} {round} {id} {} {}", key.0, key.1);
        rows.put(PAPERS, &(sequence, numbers[drawn]), &paper);
    });
    match store.write_blocking(batch) {
        Ok(receipt) => {
            let number = receipt.numbers[drawn];
            let line = format!("ack {writer} {round} {sequence} {number} {id} .\n");
            std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
        }
        Err(CommitError::Claimed(_)) => {}
        Err(other) => panic!("{other}"),
    }
}

fn fingerprint(writer: u64, round: u64) -> Fingerprint {
    let bits = (u128::from(writer) << 64 | u128::from(round)) + 1;
    Fingerprint(bits.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835).to_be_bytes())
}

/// Checks that all acknowledged writes are there, that no sequence has a gap, that each claim
/// stands for a paper and each paper for a claim, and that no id was given out twice.
pub(crate) fn verify(store: &Store, acknowledged: &[Acknowledged]) {
    let mut papers: BTreeMap<(u64, u64), Vec<u64>> = BTreeMap::new();
    for row in store.scan(PAPERS, Scan::all()) {
        let (key, paper) = row.unwrap();
        papers.insert(key, paper.split(' ').map(|n| n.parse().unwrap()).collect());
    }
    for sequence in 0..SEQUENCES {
        let numbers = papers.keys().filter(|key| key.0 == sequence).map(|key| key.1);
        assert!(numbers.clone().eq(1..=numbers.count() as u64), "a gap in {sequence}");
    }

    let mut ids = BTreeSet::new();
    let mut claims = BTreeMap::new();
    for paper in papers.values() {
        assert!(ids.insert(paper[2]), "id {} was given out twice", paper[2]);
        claims.insert((paper[3], paper[4]), format!("{} {}", paper[0], paper[1]));
    }
    assert_eq!(claims.len(), papers.len());
    assert_eq!(store.stats().index.entries, papers.len() as u64);
    for ((sequence, _), paper) in &papers {
        let wanted = [fingerprint(paper[0], paper[1])];
        let found = store.find_fingerprints(ROUNDS, *sequence, &wanted).unwrap().found;
        assert_eq!(found, [Some(u128::from(paper[2]).to_be_bytes())], "{paper:?}");
    }
    let found: BTreeMap<_, _> = store.scan(CLAIMS, Scan::all()).map(Result::unwrap).collect();
    assert_eq!(found, claims);

    for ack in acknowledged {
        let paper = papers.get(&(ack.sequence, ack.number));
        assert!(paper.is_some(), "lost: {ack:?}");
        assert_eq!(paper.unwrap()[..3], [ack.writer, ack.round, ack.id], "{ack:?}");
        assert!(store.get(PROGRESS, &ack.writer).unwrap() >= Some(ack.round));
    }
    for row in store.scan(BULK, Scan::all()) {
        assert_eq!(row.unwrap().1, vec![7; 300]);
    }
}
