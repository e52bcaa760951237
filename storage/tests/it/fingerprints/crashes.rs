//! The upkeep of runs ends at each of its steps as if the process were killed there.

use std::fs;

use storage::IndexOptions;

use super::{claim, find, refused, settle, taken, with};

const SMALL: IndexOptions = IndexOptions { table: 50, page: 5, fan_in: 2, filter_bytes: 1_000 };
const BATCH: u64 = 30;
const BATCHES: u64 = 9;

#[test]
fn nothing_is_lost_whichever_step_is_the_last() {
    let mut steps = 0;
    for step in 1.. {
        let mut store = with(SMALL);
        store.end_upkeep_at(step);
        // A claim that has to wait for the upkeep does so no longer once that has ended.
        for batch in 0..BATCHES {
            store.write_blocking(claim(batch % 2, batch * BATCH..(batch + 1) * BATCH)).unwrap();
        }
        settle(&store);
        let ended = store.upkeep_has_ended();
        check(&store);
        store.reopen();
        check(&store);
        for extra in 0..6 {
            let from = (BATCHES + extra) * BATCH;
            store.write_blocking(claim(0, from..from + BATCH)).unwrap();
        }
        settle(&store);
        check(&store);
        let stats = store.stats().index;
        assert_eq!(stats.entries, (BATCHES + 6) * BATCH, "after step {step}");
        let files = fs::read_dir(store.folder().join("index")).unwrap();
        let files = files.filter(|entry| entry.as_ref().unwrap().path().is_file()).count();
        assert_eq!(files, stats.runs, "files without a run after step {step}");
        if !ended {
            steps = step;
            break;
        }
    }
    assert!(steps > 30, "only {steps} steps were there to end at");
}

fn check(store: &storage::Store) {
    for batch in 0..BATCHES {
        let numbers = batch * BATCH..(batch + 1) * BATCH;
        let expected: Vec<_> = numbers.clone().map(|number| Some(taken(number))).collect();
        assert_eq!(find(store, batch % 2, numbers.clone()), expected);
        assert!(find(store, 5, numbers.clone()).iter().all(Option::is_none));
        refused(store.write_blocking(claim(batch % 2, [numbers.start + 7])));
    }
}
