//! Batches: all or nothing, in order, once.

use std::sync::mpsc;
use std::thread;

use storage::testing::{AfterFailure, TempStore};
use storage::{Batch, CommitError, Link, MAX_KEY_BYTES, MAX_VALUE_BYTES, Options, Scan, Table};

const ROWS: Table<u64, u64> = Table::new(1, "rows");
const TEXTS: Table<String, String> = Table::new(2, "texts");
const BLOBS: Table<Vec<u8>, Vec<u8>> = Table::new(3, "blobs");

fn put(key: u64, value: u64) -> Batch {
    let mut batch = Batch::new();
    batch.put(ROWS, &key, &value);
    batch
}

fn claim(key: u64, value: u64) -> Batch {
    let mut batch = Batch::new();
    batch.claim(ROWS, &key, &value);
    batch
}

#[test]
fn a_row_that_was_put_is_there_until_it_is_deleted() {
    let store = TempStore::new();
    assert_eq!(store.get(ROWS, &1), Ok(None));
    store.write_blocking(put(1, 10)).unwrap();
    assert_eq!(store.get(ROWS, &1), Ok(Some(10)));
    assert_eq!(store.contains(ROWS, &1), Ok(true));

    let mut batch = Batch::new();
    batch.delete(ROWS, &1);
    batch.delete(ROWS, &2);
    store.write_blocking(batch).unwrap();
    assert_eq!(store.get(ROWS, &1), Ok(None));
    assert_eq!(store.contains(ROWS, &1), Ok(false));
}

#[test]
fn the_numbers_of_a_linked_sequence_are_one_chain_over_batches_refusals_and_restarts() {
    // The link of a number: the one before it, and the number in place of its lowest bytes.
    fn linked(before: Option<&Link>, number: u64) -> Link {
        let mut link = before.map_or([0; 32], |before| before.map(|byte| byte.wrapping_add(3)));
        link[..8].copy_from_slice(&number.to_be_bytes());
        link
    }
    let draw = |batch: &mut Batch, number: u64| {
        batch.draw_linked(&7_u64, move |before| linked(before, number))
    };
    let mut store = TempStore::new();
    store.write_blocking(claim(1, 0)).unwrap();
    let mut expected = None;
    for number in (1..=12).step_by(2) {
        let mut refused = claim(1, 0);
        draw(&mut refused, 99);
        store.write_blocking(refused).unwrap_err();
        let mut batch = Batch::new();
        let drawn = (number..number + 2).map(|number| draw(&mut batch, number)).collect::<Vec<_>>();
        let numbers = store.write_blocking(batch).unwrap().numbers;
        for (draw, number) in drawn.into_iter().zip(number..) {
            expected = Some(linked(expected.as_ref(), number));
            assert_eq!((numbers[draw], Some(numbers.link(draw))), (number, expected));
        }
        assert_eq!(store.last_link(&7_u64), Ok(expected));
        store.reopen();
    }
    assert_eq!((store.drawn(&7_u64), store.last_link(&8_u64)), (Ok(12), Ok(None)));
}

#[test]
fn rows_sequences_and_claims_outlive_the_store() {
    let mut store = TempStore::new();
    let mut batch = put(1, 10);
    batch.claim(TEXTS, &"a".to_owned(), &"first".to_owned());
    batch.draw(&7_u64);
    store.write_blocking(batch).unwrap();
    for _ in 0..3 {
        store.reopen();
    }

    assert_eq!(store.get(ROWS, &1), Ok(Some(10)));
    let mut batch = Batch::new();
    batch.claim(TEXTS, &"a".to_owned(), &"second".to_owned());
    let Err(CommitError::Claimed(claimed)) = store.write_blocking(batch) else {
        panic!("the claim must not hold");
    };
    assert_eq!(claimed.existing(TEXTS).as_deref(), Some("first"));
    let mut batch = Batch::new();
    let drawn = batch.draw(&7_u64);
    assert_eq!(store.write_blocking(batch).unwrap().numbers[drawn], 2);
}

#[test]
fn the_last_write_of_a_key_in_a_batch_wins() {
    let store = TempStore::new();
    let mut batch = put(1, 10);
    batch.put(ROWS, &1, &11);
    batch.put(ROWS, &2, &20);
    batch.delete(ROWS, &2);
    batch.delete(ROWS, &3);
    batch.put(ROWS, &3, &30);
    store.write_blocking(batch).unwrap();
    let rows: Result<Vec<_>, _> = store.scan(ROWS, Scan::all()).collect();
    assert_eq!(rows, Ok(vec![(1, 11), (3, 30)]));
}

#[test]
fn a_batch_whose_claim_fails_writes_nothing_and_names_the_row_that_is_there() {
    let store = TempStore::new();
    store.write_blocking(claim(1, 10)).unwrap();
    let mut batch = put(2, 20);
    batch.claim(ROWS, &1, &11);
    batch.draw(&1_u64);
    let Err(CommitError::Claimed(claimed)) = store.write_blocking(batch) else {
        panic!("the claim must not hold");
    };
    assert_eq!((claimed.tag, claimed.name), (1, "rows"));
    assert_eq!(claimed.existing(ROWS), Some(10));
    assert_eq!(claimed.existing(TEXTS), None);
    assert_eq!(store.get(ROWS, &1), Ok(Some(10)));
    assert_eq!(store.get(ROWS, &2), Ok(None));
}

#[test]
fn a_key_that_is_required_to_be_absent_is_held_and_not_written() {
    let store = TempStore::new();
    let unless = |absent: u64, key: u64| {
        let mut batch = put(key, key);
        batch.require_absent(ROWS, &absent);
        batch.require_absent(ROWS, &absent);
        batch
    };
    for key in [1, 2] {
        store.write_blocking(unless(7, key)).unwrap();
    }
    assert_eq!(store.get(ROWS, &7), Ok(None), "nothing was put there");
    store.write_blocking(put(7, 70)).unwrap();
    let refused = store.write_blocking(unless(7, 3));
    assert!(matches!(refused, Err(CommitError::Claimed(_))), "{refused:?}");
    assert_eq!((store.get(ROWS, &3), store.get(ROWS, &7)), (Ok(None), Ok(Some(70))));
}

#[test]
fn a_batch_cannot_claim_a_key_twice() {
    let store = TempStore::new();
    let mut batch = claim(1, 10);
    batch.claim(ROWS, &1, &11);
    let Err(CommitError::Claimed(claimed)) = store.write_blocking(batch) else {
        panic!("the second claim must not hold");
    };
    assert_eq!(claimed.existing(ROWS), Some(10));
    assert_eq!(store.get(ROWS, &1), Ok(None));
}

#[test]
fn a_claim_holds_again_once_the_key_is_deleted_even_in_one_group() {
    let store = TempStore::new();
    let (sender, answers) = mpsc::channel();
    let mut delete = Batch::new();
    delete.delete(ROWS, &1);
    for batch in [claim(1, 10), claim(1, 11), delete, claim(1, 12)] {
        let sender = sender.clone();
        store.commit(batch, move |result| sender.send(result.is_ok()).unwrap());
    }
    drop(sender);
    assert_eq!(answers.iter().collect::<Vec<_>>(), [true, false, true, true]);
    assert_eq!(store.get(ROWS, &1), Ok(Some(12)));
}

#[test]
fn appended_batches_are_one() {
    let store = TempStore::new();
    let mut batch = put(1, 10);
    let first = batch.draw(&"a".to_owned());
    let mut other = put(1, 11);
    let second = other.draw(&"a".to_owned());
    other.with_numbers(move |numbers, rows| rows.put(ROWS, &2, &numbers[second]));
    let shift = batch.draws();
    batch.append(other);
    let numbers = store.write_blocking(batch).unwrap().numbers;
    assert_eq!((numbers[first], numbers[shift + second]), (1, 2));
    assert_eq!(store.get(ROWS, &1), Ok(Some(11)));
    assert_eq!(store.get(ROWS, &2), Ok(Some(2)));
}

#[test]
fn what_is_too_large_fails_alone_and_before_anything_is_written() {
    let store = TempStore::new();
    let (sender, answers) = mpsc::channel();
    let mut largest = Batch::new();
    largest.put(BLOBS, &vec![1; MAX_KEY_BYTES - 6], &vec![0; MAX_VALUE_BYTES - 5]);
    let mut row = put(1, 1);
    row.put(BLOBS, &vec![2], &vec![0; MAX_VALUE_BYTES - 4]);
    let mut key = put(2, 2);
    key.put(BLOBS, &vec![1; MAX_KEY_BYTES - 5], &vec![]);
    let mut late = put(3, 3);
    late.with_numbers(|_, rows| rows.put(BLOBS, &vec![3], &vec![0; MAX_VALUE_BYTES]));
    for batch in [largest, row, key, late, put(4, 4)] {
        let sender = sender.clone();
        store.commit(batch, move |result| sender.send(result).unwrap());
    }
    drop(sender);
    let fine: Vec<bool> = answers
        .iter()
        .map(|answer| match answer {
            Ok(_) => true,
            Err(CommitError::Failed(text)) => {
                assert!(text.contains("of blobs has"), "{text}");
                false
            }
            Err(other) => panic!("{other}"),
        })
        .collect();
    assert_eq!(fine, [true, false, false, false, true]);
    let rows: Result<Vec<_>, _> = store.scan(ROWS, Scan::all()).collect();
    assert_eq!(rows, Ok(vec![(4, 4)]));
}

#[test]
fn answers_come_in_the_order_batches_were_handed_in() {
    let store = TempStore::new();
    let (sender, answers) = mpsc::channel();
    for number in 0..5_000_u64 {
        let sender = sender.clone();
        // Every third batch is refused: refusals keep their place in the line.
        let batch = if number % 3 == 2 { claim(0, number) } else { put(0, number) };
        store.commit(batch, move |result| sender.send((number, result.is_ok())).unwrap());
    }
    drop(sender);
    let answers: Vec<_> = answers.iter().collect();
    let expected: Vec<_> = (0..5_000_u64).map(|number| (number, number % 3 != 2)).collect();
    assert_eq!(answers, expected);
    assert_eq!(store.get(ROWS, &0), Ok(Some(4_999 - 4_999 % 3 + 1)));
    let stats = store.stats();
    assert_eq!(stats.backlog, 0);
    assert_eq!(stats.commits, expected.iter().filter(|(_, fine)| *fine).count() as u64);
    assert!(stats.groups < 5_000, "{stats:?}");
}

#[test]
fn a_reader_never_sees_half_a_batch_once_it_has_seen_its_answer() {
    let store = TempStore::new();
    thread::scope(|scope| {
        for writer in 0..8_u64 {
            let store = &store;
            scope.spawn(move || {
                for round in 1..=50 {
                    let mut batch = Batch::new();
                    for row in 0..20 {
                        batch.put(ROWS, &(writer * 100 + row), &round);
                    }
                    store.write_blocking(batch).unwrap();
                    let from = writer * 100;
                    let range = Scan::all().from(&from).until(&(from + 100));
                    let rounds: Vec<u64> =
                        store.scan(ROWS, range).map(|row| row.unwrap().1).collect();
                    assert_eq!(rounds, vec![round; 20]);
                }
            });
        }
    });
}

#[tokio::test]
async fn a_barrier_waits_for_all_that_was_handed_in_before() {
    let store = TempStore::new();
    let (sender, answers) = mpsc::channel();
    for number in 0..500 {
        let sender = sender.clone();
        store.commit(put(number, number), move |_| sender.send(number).unwrap());
    }
    store.barrier().await;
    assert_eq!(answers.try_iter().count(), 500);
    assert_eq!(store.write(put(1, 2)).await, Ok(storage::Receipt::default()));
}

#[test]
fn a_receiver_that_panics_takes_no_other_answer_with_it() {
    let store = TempStore::new();
    store.commit(put(1, 1), |_| panic!("this is part of a test"));
    store.write_blocking(put(2, 2)).unwrap();
    let mut batch = put(3, 3);
    batch.with_numbers(|_, _| panic!("this is part of a test"));
    assert!(matches!(store.write_blocking(batch), Err(CommitError::Failed(_))));
    store.write_blocking(put(4, 4)).unwrap();
    assert_eq!(store.scan(ROWS, Scan::all()).count(), 3);
}

#[test]
fn a_closed_store_answers_what_was_queued_and_refuses_the_rest() {
    let store = TempStore::new();
    let (sender, answers) = mpsc::channel();
    for number in 0..100 {
        let sender = sender.clone();
        store.commit(put(number, number), move |result| sender.send(result.is_ok()).unwrap());
    }
    let mut scan = store.scan(ROWS, Scan::all());
    store.close();
    store.close();
    drop(sender);
    assert_eq!(answers.iter().collect::<Vec<_>>(), vec![true; 100]);
    assert_eq!(store.write_blocking(put(1, 1)), Err(CommitError::Closed));
    assert_eq!(store.get(ROWS, &1), Err(storage::ReadError::Closed));
    assert!(matches!(scan.next(), Some(Err(storage::ReadError::Closed))));
    assert!(scan.next().is_none());
}

#[test]
fn the_last_handle_may_be_dropped_in_an_answer() {
    let mut temp = TempStore::new();
    let (sender, answer) = mpsc::channel();
    let store = storage::Store::open(
        &temp.folder().join("inner"),
        Options { fatal: storage::Fatal::Poison, ..Default::default() },
    )
    .unwrap();
    let last = store.clone();
    let (go, gone) = mpsc::channel::<()>();
    store.commit(put(1, 1), move |result| {
        gone.recv().unwrap();
        drop(last);
        sender.send(result).unwrap();
    });
    drop(store);
    go.send(()).unwrap();
    answer.recv().unwrap().unwrap();
    temp.reopen();
}

#[test]
fn the_commit_that_a_test_picks_fails_and_the_next_works() {
    let store = TempStore::new();
    store.fail_at(2, AfterFailure::WorksOn);
    store.write_blocking(put(1, 1)).unwrap();
    assert!(matches!(store.write_blocking(put(2, 2)), Err(CommitError::Failed(_))));
    store.write_blocking(put(3, 3)).unwrap();
    assert_eq!(store.get(ROWS, &2), Ok(None));
}

#[test]
fn a_store_that_a_test_breaks_stays_broken_until_it_is_mended() {
    let store = TempStore::new();
    store.fail_at(1, AfterFailure::StaysFailed);
    for key in 0..3 {
        assert!(matches!(store.write_blocking(put(key, 1)), Err(CommitError::Failed(_))));
    }
    assert_eq!(store.scan(ROWS, Scan::all()).count(), 0);
    store.fail_at(0, AfterFailure::WorksOn);
    store.write_blocking(put(1, 1)).unwrap();
}

#[test]
fn a_group_is_no_larger_than_it_may_be() {
    let store = TempStore::with(Options { group_rows: 100, ..Options::default() });
    let (go, wait) = mpsc::channel::<()>();
    let (waits, waiting) = mpsc::channel();
    store.commit(put(1, 1), move |_| {
        waits.send(()).unwrap();
        wait.recv().unwrap();
    });
    waiting.recv().unwrap();
    let (answered, answers) = mpsc::channel();
    // While the committer waits these gather: 60, 60, 30 and 150 rows.
    for (number, rows) in [60, 60, 30, 150].into_iter().enumerate() {
        let mut batch = Batch::new();
        (0..rows).for_each(|row| batch.put(ROWS, &(row + 1_000 * number as u64), &row));
        let answered = answered.clone();
        store.commit(batch, move |result| answered.send(result.is_ok()).unwrap());
    }
    let before = store.stats().groups;
    go.send(()).unwrap();
    assert!(answers.iter().take(4).all(|written| written));
    assert_eq!(store.stats().groups - before, 3);
}

#[test]
fn a_batch_knows_its_rows_and_bytes() {
    let mut batch = Batch::new();
    assert_eq!((batch.rows(), batch.bytes()), (0, 0));
    batch.put(BLOBS, &vec![1; 10], &vec![2; 1_000]);
    batch.delete(ROWS, &1);
    batch.draw(&7_u64);
    assert_eq!(batch.rows(), 3);
    assert!(batch.bytes() > 1_010 && batch.bytes() < 1_100, "{}", batch.bytes());

    let mut other = put(2, 20);
    let more = batch.bytes() + other.bytes();
    other.append(batch);
    assert_eq!((other.rows(), other.bytes()), (4, more));
}
