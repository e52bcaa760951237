//! Readers beside the committer.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use storage::testing::TempStore;
use storage::{Batch, Scan, Table};

const ROWS: Table<u64, Vec<u8>> = Table::new(1, "rows");
const KEYS: u64 = 4_000;

/// Many rows, in a cache that holds few of them, read and walked from many threads while they
/// are written: nobody waits for ever, and nobody sees a row that was never written.
#[test]
fn readers_and_writers_never_block_each_other_for_good() {
    let store = TempStore::with(storage::Options {
        cache_bytes: 256 * 1024,
        fatal: storage::Fatal::Poison,
        ..Default::default()
    });
    let written = AtomicBool::new(false);
    thread::scope(|scope| {
        for reader in 0..6_u64 {
            let (store, written) = (&store, &written);
            scope.spawn(move || {
                let mut key = reader * 997;
                while !written.load(Ordering::Relaxed) {
                    key = (key * 31 + 17) % KEYS;
                    if let Some(row) = store.get(ROWS, &key).unwrap() {
                        assert!(row.iter().all(|byte| *byte == row[0]));
                    }
                    if key % 50 == 0 {
                        let scan = Scan::all().from(&key);
                        let scan = if reader % 2 == 0 { scan } else { scan.reverse() };
                        let keys: Vec<u64> =
                            store.scan(ROWS, scan).take(100).map(|row| row.unwrap().0).collect();
                        assert!(if reader % 2 == 0 {
                            keys.is_sorted()
                        } else {
                            keys.is_sorted_by(|a, b| a > b)
                        });
                    }
                }
            });
        }
        let writers: Vec<_> = (0..8_u64)
            .map(|writer| {
                let store = &store;
                scope.spawn(move || {
                    for round in 0..60_u64 {
                        let mut batch = Batch::new();
                        for row in 0..10 {
                            let key = (writer * 131 + round * 977 + row * 31) % KEYS;
                            batch.put(ROWS, &key, &vec![u8::try_from(round).unwrap(); 300]);
                        }
                        store.write_blocking(batch).unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        written.store(true, Ordering::Relaxed);
    });
}
