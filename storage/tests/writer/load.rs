//! What the process writes.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use storage::{Batch, CommitError, Fingerprint, IndexOptions, Options, Receipt, Seen, Store};

use super::{
    Acknowledged, BULK, CLAIMS, CONTESTED, FOLDER, IDS, PAPERS, PROGRESS, ROUNDS, SEQUENCES,
    THREADS,
};

/// Lives of a store within the process, writes of each thread in each of them, and the
/// milliseconds that a life lasts at least: `3x80x0`.
pub(crate) const LIVES: &str = "STORAGE_WRITER_LIVES";
/// Where [`run_lives`] puts a backup of the store as it is when it is opened first.
pub(crate) const BACKUP: &str = "STORAGE_WRITER_BACKUP";
/// The process could not open its store or read it, or was refused a write, and has said why.
pub(crate) const REFUSED: i32 = 3;

/// Places of a writer in the bulk.
const SLOTS: u64 = 40;

/// Runs are written and merged all the time.
pub(crate) fn options() -> Options {
    let index = IndexOptions { table: 200, page: 16, fan_in: 2, ..IndexOptions::default() };
    // So are files of the journal, and what they hold reaches the engine at once.
    Options { index, journal_bytes: 64 * 1024, clock: jumping, ..Options::default() }
}

/// Where the archive of a folder is: beside it.
pub(crate) fn archive_of(folder: &Path) -> PathBuf {
    folder.with_file_name("archive")
}

/// A wall clock that somebody sets all the time: by hours, by years, and to 0.
fn jumping() -> u64 {
    const HOUR: u64 = 3_600_000_000;
    const YEAR: u64 = 8_760 * HOUR;
    static READINGS: AtomicU64 = AtomicU64::new(0);
    let reading = READINGS.fetch_add(1, Ordering::Relaxed);
    let today = 56 * YEAR + reading;
    match reading % 64 {
        7 => 0,
        20 => today - HOUR,
        33 => today + HOUR,
        46 => today - 10 * YEAR,
        59 => today + reading / 64 % 8 * YEAR,
        _ => today,
    }
}

/// The writer's process: writes until it is killed. Does nothing in a process that nobody has
/// started as one.
pub(crate) fn run() {
    write_on_and_on(refused, |_, _| {});
}

/// Like [`run`], where the store is expected to stop and to end the process; when so many writes
/// were acknowledged, `then` is called once.
pub(crate) fn run_until(count: u64, then: impl Fn(&Store) + Sync) {
    write_on_and_on(wait_for_the_end, |store, acknowledged| {
        if acknowledged == count {
            then(store);
        }
    });
}

/// Tells `behind_each` how many writes were acknowledged before.
fn write_on_and_on(refused: Refused, behind_each: impl Fn(&Store, u64) + Sync) {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let acknowledged = AtomicU64::new(0);
    let store = Store::open(Path::new(&folder), options()).unwrap();
    write_all(&store, u64::from(u32::MAX), Duration::ZERO, refused, || {
        behind_each(&store, acknowledged.fetch_add(1, Ordering::Relaxed));
    });
}

/// The writer's process that opens and closes its store as often as [`LIVES`] says, and then ends.
/// When the store refuses something it says so, and ends with [`REFUSED`]. It has an archive.
pub(crate) fn run_lives() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let lives = std::env::var(LIVES).unwrap();
    let parts: Vec<u64> = lives.split('x').map(|part| part.parse().unwrap()).collect();
    let [lives, rounds, millis] = parts.try_into().unwrap();
    let mut backup = std::env::var_os(BACKUP);
    for _ in 0..lives {
        let options = Options { archive: Some(archive_of(folder)), ..options() };
        let store = Store::open(folder, options).unwrap_or_else(|why| refused(&why));
        if let Some(file) = backup.take() {
            let mut out = File::create(file).unwrap();
            store.backup(b"").unwrap().for_each(|piece| out.write_all(&piece.unwrap()).unwrap());
        }
        write_all(&store, rounds, Duration::from_millis(millis), refused, || {});
        store.close();
    }
}

/// What to do when the store refuses something, and says why.
type Refused = fn(&dyn std::fmt::Display) -> !;

fn refused(why: &dyn std::fmt::Display) -> ! {
    eprintln!("{why}");
    std::process::exit(REFUSED)
}

/// A store that has stopped refuses what comes before it has ended the process.
fn wait_for_the_end(why: &dyn std::fmt::Display) -> ! {
    eprintln!("{why}");
    loop {
        thread::park();
    }
}

/// Writes so many rounds with each thread, spread over at least this time.
fn write_all(
    store: &Store,
    rounds: u64,
    over: Duration,
    refused: Refused,
    acknowledged: impl Fn() + Sync,
) {
    let (begun, acknowledged) = (Instant::now(), &acknowledged);
    thread::scope(|scope| {
        for writer in 0..THREADS {
            scope.spawn(move || {
                let done = store.get(PROGRESS, &writer).unwrap_or_else(|why| refused(&why));
                let done = done.unwrap_or(0);
                for count in 0..rounds {
                    let due = over * count as u32 / rounds as u32;
                    thread::sleep(due.saturating_sub(begun.elapsed()));
                    let written = write(store, writer, done + 1 + count);
                    if let Some(written) = written.unwrap_or_else(|why| refused(&why)) {
                        written.say();
                        acknowledged();
                    }
                }
            });
        }
    });
}

/// Writes a round of a writer; `None` when somebody else has what it claims.
pub(super) fn write(
    store: &Store,
    writer: u64,
    round: u64,
) -> Result<Option<Acknowledged>, CommitError> {
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
    for (slot, row) in bulk(writer, round) {
        match row {
            Some(row) => batch.put(BULK, &(writer, slot), &row),
            None => batch.delete(BULK, &(writer, slot)),
        }
    }
    batch.with_numbers(move |numbers, rows| {
        let paper = format!("{writer} {round} {id} {} {}", key.0, key.1);
        rows.put(PAPERS, &(sequence, numbers[drawn]), &paper);
    });
    match store.write_blocking(batch) {
        Ok(Receipt { numbers, .. }) => {
            Ok(Some(Acknowledged { writer, round, sequence, number: numbers[drawn], id }))
        }
        Err(CommitError::Claimed(_)) => Ok(None),
        // The committer has gone, and takes the process with it.
        Err(CommitError::Closed) => panic!("the store is closed"),
        Err(other) => Err(other),
    }
}

/// What a round does to its writer's bulk: four rows put, of which some are large, one deleted.
pub(super) fn bulk(writer: u64, round: u64) -> Vec<(u64, Option<Vec<u8>>)> {
    let put = |place: u64| {
        let large = place == 0 && round.is_multiple_of(4);
        let length = if large { 12_000 } else { 60 + (round * 37 + place * 101) % 400 };
        let byte = (writer * 31 + round * 7 + place) as u8;
        ((round * 7 + place) % SLOTS, Some(vec![byte; length as usize]))
    };
    (0..4).map(put).chain([((round * 7 + SLOTS / 2) % SLOTS, None)]).collect()
}

pub(super) fn fingerprint(writer: u64, round: u64) -> Fingerprint {
    let bits = (u128::from(writer) << 64 | u128::from(round)) + 1;
    Fingerprint(bits.wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835).to_be_bytes())
}

impl Acknowledged {
    fn say(&self) {
        let Self { writer, round, sequence, number, id } = self;
        let line = format!("ack {writer} {round} {sequence} {number} {id} .\n");
        std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
    }
}
