//! Claims on fingerprints, in batches as usage comes in, and one by one, with millions of them
//! there already. What a claim costs in time, memory and on the disk.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use storage::{Batch, Fingerprint, Index, IndexOptions, Options, Store, Table};

const KEYS: Index = Index::new(1, "keys");
const ROWS: Table<(u64, u64), Vec<u8>> = Table::new(2, "chunks");

/// Claims that are there before the clock runs, unless the environment tells another number.
const PRESENT: u64 = 5_000_000;
/// Claims a second of those who do not hurry.
const PACE: u64 = 100_000;
const MEASURED: u64 = 2_000_000;
const BATCH: u64 = 500;
const ROW_BYTES: usize = 15 * 1024;
const WRITERS: u64 = 4;
/// Batches of a writer that are on their way to the disk together.
const IN_FLIGHT: usize = 8;
const SINGLE_WRITERS: u64 = 64;
const SINGLES: u64 = 100_000;
const SCOPES: u64 = 3;

/// Fills a store, and measures it.
pub(crate) fn run() {
    let number = |name: &str, default| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let present = number("FINGERPRINTS", PRESENT);
    let row_bytes = number("FINGERPRINT_ROW_BYTES", ROW_BYTES as u64) as usize;
    let home = tempfile::tempdir().expect("a temporary folder");
    let folder = home.path().join("data");
    let store = Store::open(&folder, Options::default()).expect("a store");
    let next = AtomicU64::new(0);

    let batches = |count, pace| batches(&store, &next, count, pace, row_bytes);
    report("filling", present, batches(present, u64::MAX));
    report("batches of 500", MEASURED, batches(MEASURED, u64::MAX));
    report("the same at 100,000 a second", MEASURED, batches(MEASURED, PACE));
    report("single claims, 64 writers", SINGLES, singles(&store, &next));
    let known = next.load(Ordering::Relaxed);
    let searched = searches(&store, |random| random % known);
    eprintln!("searches for known fingerprints: {searched:.0}/s on one core");
    let searched = searches(&store, |random| known + random);
    eprintln!("searches for new fingerprints: {searched:.0}/s on one core");
    store.write_blocking(Batch::new()).expect("a commit");
    eprintln!("{:?}, resident {} MiB", store.stats(), resident());
    store.close();
    drop(store);

    let index = bytes_below(&folder.join("index"));
    let all = bytes_below(&folder);
    eprintln!(
        "{known} claims: {:.1} bytes each in runs, {:.1} with all else in the folder",
        index as f64 / known as f64,
        all as f64 / known as f64
    );
    let started = Instant::now();
    let store = Store::open(&folder, Options::default()).expect("a store");
    eprintln!("opened in {:?}, {:?}", started.elapsed(), store.stats().index);
    store.close();

    // A tenth of what the filters need: what a store of ten times the keys would do.
    let index = IndexOptions { filter_bytes: known / 6, ..IndexOptions::default() };
    let store = Store::open(&folder, Options { index, ..Options::default() }).expect("a store");
    let searched = searches(&store, |random| random % known);
    eprintln!("searches for known fingerprints with few filters: {searched:.0}/s on one core");
    let searched = searches(&store, |random| known + random);
    eprintln!("searches for new fingerprints with few filters: {searched:.0}/s on one core");
}

/// Claims in batches, each with one row, no more than `pace` claims a second. Gives how long all
/// took, and each of the commits.
fn batches(
    store: &Store,
    next: &AtomicU64,
    count: u64,
    pace: u64,
    row: usize,
) -> (Duration, Vec<Duration>) {
    let started = Instant::now();
    let left = AtomicU64::new(count / BATCH);
    let writer = |writer: u64| {
        let mut times = Vec::new();
        let mut flying: VecDeque<Receiver<Duration>> = VecDeque::new();
        let take = |left: u64| left.checked_sub(1);
        while let Ok(left) = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take) {
            let due = Duration::from_nanos((count - left * BATCH) * 1_000_000_000 / pace);
            thread::sleep(due.saturating_sub(started.elapsed()));
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            let mut batch = claimed(store, first..first + BATCH);
            if row > 0 {
                batch.put(ROWS, &(writer, first), &vec![7; row]);
            }
            let (sender, answer) = mpsc::sync_channel(1);
            let handed_in = Instant::now();
            store.commit(batch, move |result| {
                result.expect("a commit");
                let _ = sender.send(handed_in.elapsed());
            });
            flying.push_back(answer);
            if flying.len() == IN_FLIGHT {
                times.extend(flying.pop_front().map(|answer| answer.recv().expect("an answer")));
            }
        }
        times.extend(flying.into_iter().map(|answer| answer.recv().expect("an answer")));
        times
    };
    let times = together(WRITERS, writer);
    (started.elapsed(), times)
}

fn singles(store: &Store, next: &AtomicU64) -> (Duration, Vec<Duration>) {
    let started = Instant::now();
    let writer = |_| {
        let mut times = Vec::new();
        for _ in 0..SINGLES / SINGLE_WRITERS {
            let handed_in = Instant::now();
            let number = next.fetch_add(1, Ordering::Relaxed);
            store.write_blocking(claimed(store, number..number + 1)).expect("a commit");
            times.push(handed_in.elapsed());
        }
        times
    };
    let times = together(SINGLE_WRITERS, writer);
    (started.elapsed(), times)
}

/// Searches a second, five hundred at a time.
fn searches(store: &Store, number: impl Fn(u64) -> u64) -> f64 {
    let rounds = 400;
    let wanted: Vec<Vec<Fingerprint>> = (0..rounds)
        .map(|round| (0..BATCH).map(|n| print(number(mixed(round * BATCH + n) >> 16))).collect())
        .collect();
    let before = busy();
    for wanted in &wanted {
        store.find_fingerprints(KEYS, 0, wanted).expect("an answer");
    }
    (rounds * BATCH) as f64 / (busy() - before).as_secs_f64()
}

/// A batch that claims what a search has found free, as rooms do.
fn claimed(store: &Store, numbers: std::ops::Range<u64>) -> Batch {
    let scope = numbers.start / BATCH % SCOPES;
    let wanted: Vec<_> = numbers.clone().map(print).collect();
    let lookup = store.find_fingerprints(KEYS, scope, &wanted).expect("an answer");
    assert!(lookup.found.iter().all(Option::is_none));
    let taken = |number: u64| u128::from(mixed(number)) << 64 | u128::from(number);
    let entries = wanted.into_iter().zip(numbers.map(|number| taken(number).to_be_bytes()));
    let mut batch = Batch::new();
    batch.claim_fingerprints(KEYS, scope, entries.collect(), lookup.seen);
    batch
}

fn together(writers: u64, work: impl Fn(u64) -> Vec<Duration> + Sync) -> Vec<Duration> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> =
            (0..writers).map(|writer| scope.spawn(move || work(writer))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a writer")).collect()
    })
}

fn report(name: &str, claims: u64, (took, mut times): (Duration, Vec<Duration>)) {
    times.sort_unstable();
    let at = |thousandths: usize| times[(times.len() * thousandths / 1_000).min(times.len() - 1)];
    eprintln!(
        "{name}: {:.0} claims/s; commits took {:?} in the middle, {:?} at 99 %, {:?} at most; \
         resident {} MiB",
        claims as f64 / took.as_secs_f64(),
        at(500),
        at(990),
        at(1_000),
        resident()
    );
}

/// The fingerprint of a number; spread like that of a hash.
fn print(number: u64) -> Fingerprint {
    let bits = u128::from(mixed(number)) << 64 | u128::from(mixed(!number));
    Fingerprint(bits.to_be_bytes())
}

fn mixed(number: u64) -> u64 {
    let bits = (number ^ number >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

/// How long this thread has had a core.
fn busy() -> Duration {
    let figures = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = figures.split_whitespace().next().and_then(|nanos| nanos.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(1))
}

/// Memory of this process, in MiB.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1_024
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    entries
        .map(|entry| {
            let found = entry.metadata().expect("a file");
            if found.is_dir() { bytes_below(&entry.path()) } else { found.len() }
        })
        .sum()
}
