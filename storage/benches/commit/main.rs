//! Durable commits from one writer and from many, beside the least that any store must do: one
//! file, appended and synced, with the same group commit before it. The ratio is what the
//! ordered keys, claims and sequences cost.

#![allow(clippy::float_arithmetic, reason = "rates are no amounts")]

mod fingerprints;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use storage::testing::TempStore;
use storage::{Batch, Options, Scan, Stats, Table};

const RECORDS: u64 = 6;
const RECORD_BYTES: usize = 300;
const WRITERS: [u64; 2] = [1, 64];
/// Rows under the reads, more than a page of the tree holds and less than the cache.
const ROWS: u64 = 50_000;

/// Ranges of keys that grow side by side.
const RANGES: u64 = 1_000;

const TABLE: Table<(u64, u64), Vec<u8>> = Table::new(1, "rows");

thread_local! {
    /// Commits a second in the longest run of each measurement.
    static RATES: RefCell<BTreeMap<String, (u64, f64)>> = const { RefCell::new(BTreeMap::new()) };
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(6))
        .configure_from_args();
    if std::env::args().any(|argument| argument == "fingerprints") {
        return fingerprints::run();
    }
    commits(&mut criterion);
    reads(&mut criterion);
    criterion.final_summary();
    ratios();
    fingerprints::run();
}

fn commits(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("commit");
    group.throughput(Throughput::Elements(1));
    for writers in WRITERS {
        let name = format!("journal/{writers}");
        let home = tempfile::tempdir().expect("a temporary folder");
        let journal = Journal::create(home.path());
        group.bench_function(&name, |bencher| {
            bencher.iter_custom(|commits| {
                timed(&name, writers, commits, |writer, number| {
                    let bytes = RECORD_BYTES * usize::try_from(RECORDS).unwrap_or(0);
                    journal.write(vec![(writer + number) as u8; bytes]);
                })
            });
        });

        let name = format!("store/{writers}");
        let store = TempStore::with(Options::default());
        let next = AtomicU64::new(0);
        group.bench_function(&name, |bencher| {
            bencher.iter_custom(|commits| {
                timed(&name, writers, commits, |_, _| {
                    // Each commit adds to one of many growing ranges.
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let (range, row) = (number * 31 % RANGES, number / RANGES * RECORDS);
                    let mut batch = Batch::new();
                    for record in 0..RECORDS {
                        batch.put(TABLE, &(range, row + record), &vec![7; RECORD_BYTES]);
                    }
                    store.write_blocking(batch).expect("a commit");
                })
            });
        });
        spent(&name, store.stats());
    }
    group.finish();
}

fn spent(name: &str, stats: Stats) {
    let groups = stats.groups.max(1);
    eprintln!(
        "{name}: {} commits in {groups} groups, each {} us to flush and {} us to sync",
        stats.commits,
        stats.append_micros / groups,
        stats.sync_micros / groups
    );
}

/// Shares the commits among writers that each wait for their answer, and takes the time.
fn timed(name: &str, writers: u64, commits: u64, commit: impl Fn(u64, u64) + Sync) -> Duration {
    let started = Instant::now();
    thread::scope(|scope| {
        for writer in 0..writers {
            let commit = &commit;
            scope.spawn(move || {
                for number in (writer..commits).step_by(usize::try_from(writers).unwrap_or(1)) {
                    commit(writer, number);
                }
            });
        }
    });
    let took = started.elapsed();
    RATES.with_borrow_mut(|rates| {
        let known = rates.entry(name.to_owned()).or_default();
        if commits >= known.0 {
            *known = (commits, commits as f64 / took.as_secs_f64());
        }
    });
    took
}

fn reads(criterion: &mut Criterion) {
    let store = TempStore::with(Options::default());
    let mut last = None;
    for chunk in 0..ROWS / 100 {
        let mut batch = Batch::new();
        for row in 0..100 {
            batch.put(TABLE, &(chunk % 10, chunk * 100 + row), &vec![7; RECORD_BYTES]);
        }
        let (sender, answer) = mpsc::sync_channel(1);
        store.commit(batch, move |_| {
            let _ = sender.send(());
        });
        last = Some(answer);
    }
    last.map(|answer| answer.recv());

    let mut group = criterion.benchmark_group("read");
    let mut key = 0;
    group.throughput(Throughput::Elements(1));
    group.bench_function("get", |bencher| {
        bencher.iter(|| {
            key = (key * 31 + 17) % ROWS;
            store.get(TABLE, &(key / 100 % 10, key))
        });
    });
    for rows in [20, 5_000] {
        group.throughput(Throughput::Elements(rows));
        group.bench_function(format!("scan/{rows}"), |bencher| {
            let rows = usize::try_from(rows).unwrap_or(0);
            bencher.iter(|| store.scan(TABLE, Scan::prefix(&(3_u64,))).take(rows).count());
        });
    }
    group.finish();
}

fn ratios() {
    RATES.with_borrow(|rates| {
        for writers in WRITERS {
            let rate = |kind: &str| rates.get(&format!("{kind}/{writers}")).map(|rate| rate.1);
            if let (Some(store), Some(journal)) = (rate("store"), rate("journal")) {
                eprintln!(
                    "{writers} writers: {store:.0} commits/s of {RECORDS} records, bare journal \
                     {journal:.0}/s, ratio {:.2}",
                    store / journal
                );
            }
        }
    });
}

/// A file that is appended and synced for all who wait together.
struct Journal {
    queue: Sender<(Vec<u8>, SyncSender<()>)>,
}

impl Journal {
    fn create(home: &Path) -> Arc<Self> {
        let file = File::create(home.join("journal")).expect("a journal");
        let (queue, jobs) = mpsc::channel();
        thread::spawn(move || append(file, &jobs));
        Arc::new(Self { queue })
    }

    fn write(&self, bytes: Vec<u8>) {
        let (sender, written) = mpsc::sync_channel(1);
        if self.queue.send((bytes, sender)).is_ok() {
            let _ = written.recv();
        }
    }
}

fn append(mut file: File, jobs: &Receiver<(Vec<u8>, SyncSender<()>)>) {
    while let Ok(first) = jobs.recv() {
        let group: Vec<_> = std::iter::once(first).chain(jobs.try_iter().take(1_023)).collect();
        let bytes: Vec<u8> = group.iter().flat_map(|job| &job.0).copied().collect();
        file.write_all(&bytes).expect("an append");
        file.sync_data().expect("a sync");
        for (_, answer) in group {
            let _ = answer.send(());
        }
    }
}
