//! A wall clock that jumps back and forth: what was written stays, and the times in the journal
//! never go back.

use std::fs::{self, File};
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use storage::testing::TempStore;
use storage::{Batch, Options, RestorePlan, Scan, Store, Table, check_backup};

const ROWS: Table<u64, u64> = Table::new(1, "rows");

const HOUR: u64 = 3_600_000_000;
const YEAR: u64 = 8_760 * HOUR;
const TODAY: u64 = 56 * YEAR;

/// What the clock shows.
static WALL: AtomicU64 = AtomicU64::new(TODAY);

fn wall() -> u64 {
    WALL.load(Ordering::SeqCst)
}

fn put(store: &Store, key: u64) {
    let mut batch = Batch::new();
    batch.put(ROWS, &key, &wall());
    store.write_blocking(batch).unwrap();
}

fn keys(store: &Store) -> Vec<u64> {
    store.scan(ROWS, Scan::all()).map(|row| row.unwrap().0).collect()
}

#[test]
fn a_moment_takes_what_was_written_until_the_clock_had_first_shown_it() {
    let options = || Options { clock: wall, ..Options::default() };
    let mut store = TempStore::with(options());
    let folder = tempfile::tempdir().unwrap();
    let (file, target) = (folder.path().join("backup"), folder.path().join("target"));
    put(&store, 0);
    let mut out = File::create(&file).unwrap();
    store.backup(b"").unwrap().for_each(|piece| out.write_all(&piece.unwrap()).unwrap());

    // When each write counts as written: at the latest time that the clock had shown by then.
    let (mut latest, mut written) = (TODAY, vec![TODAY]);
    let shown = [1, HOUR, 2, 0, YEAR, HOUR + 1, 2 * YEAR, 3].map(|ahead| TODAY + ahead);
    let back = [TODAY - HOUR, 0, TODAY - 10 * YEAR, 1];
    for (forth, back) in shown.into_iter().zip(back.into_iter().cycle()) {
        for time in [forth, back] {
            WALL.store(time, Ordering::SeqCst);
            latest = latest.max(time);
            put(&store, written.len() as u64);
            written.push(latest);
        }
        store.reopen();
        assert_eq!(keys(&store).len(), written.len());
    }

    let info = check_backup(&file, |_, _| {}).unwrap();
    assert_eq!(info.reaches, TODAY);
    let journals = [store.folder().join("journal")];
    let moments = written.iter().flat_map(|at| [*at, at + 1]).filter(|at| *at > TODAY).map(Some);
    for until in moments.chain([None]) {
        let (file, info, folder, journals) = (&file, &info, target.as_path(), &journals);
        let plan = RestorePlan { file, info, folder, journals, until };
        let restored = plan.carry_out(options()).unwrap();
        let before = |at: &&u64| until.is_none_or(|until| **at < until);
        let expected: Vec<u64> = (0..written.iter().filter(before).count() as u64).collect();
        assert_eq!(keys(restored.store()), expected, "until {until:?}");
        drop(restored);
        fs::remove_dir_all(folder).unwrap();
    }
}
