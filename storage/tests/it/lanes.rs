//! Lanes: nothing is written that was decided on a state that never came to be.

use std::sync::mpsc;

use storage::testing::TempStore;
use storage::{Batch, CommitError, Lane, Scan, Table};

const ROWS: Table<u64, u64> = Table::new(1, "rows");

fn on(lane: &Lane, key: u64) -> Batch {
    let mut batch = Batch::new();
    batch.lane(lane);
    batch.claim(ROWS, &key, &key);
    batch
}

#[test]
fn a_refused_batch_breaks_its_lane_and_no_other() {
    let store = TempStore::new();
    let (broken, whole) = (Lane::new(), Lane::new());
    let (sender, answers) = mpsc::channel();
    let batches = [on(&broken, 1), on(&broken, 1), on(&broken, 2), on(&whole, 2), on(&broken, 3)];
    for batch in batches {
        let sender = sender.clone();
        store.commit(batch, move |result| sender.send(result.err()).unwrap());
    }
    drop(sender);
    let answers: Vec<_> = answers.iter().collect();
    assert!(matches!(answers[1], Some(CommitError::Claimed(_))));
    assert_eq!(answers[0], None);
    assert_eq!(answers[2..], [Some(CommitError::LaneBroken), None, Some(CommitError::LaneBroken)]);
    assert!(broken.is_broken() && !whole.is_broken());
    let rows: Vec<u64> = store.scan(ROWS, Scan::all()).map(|row| row.unwrap().0).collect();
    assert_eq!(rows, [1, 2]);
}

#[test]
fn a_lane_that_its_writer_breaks_takes_no_more_batches() {
    let store = TempStore::new();
    let lane = Lane::new();
    store.write_blocking(on(&lane, 1)).unwrap();
    lane.break_now();
    assert_eq!(store.write_blocking(on(&lane, 2)), Err(CommitError::LaneBroken));
    store.write_blocking(on(&Lane::new(), 2)).unwrap();
}

#[test]
fn an_appended_batch_does_not_change_the_lane_unless_there_is_none() {
    let store = TempStore::new();
    let (mine, other) = (Lane::new(), Lane::new());
    other.break_now();
    let mut batch = on(&mine, 1);
    batch.append(on(&other, 2));
    store.write_blocking(batch).unwrap();

    let mut batch = Batch::new();
    batch.append(on(&other, 3));
    assert_eq!(store.write_blocking(batch), Err(CommitError::LaneBroken));
}
