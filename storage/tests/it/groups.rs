//! Groups one behind the other: the next one is resolved while one is on its way to the disk, and
//! rests on it.

use std::sync::mpsc::{self, Receiver};
use std::thread;

use storage::testing::TempStore;
use storage::{Batch, CommitError, Fingerprint, Index, Lane, Seen, Sum, Table};

const ROWS: Table<u64, u64> = Table::new(1, "rows");
const SUMS: Table<u64, Sum> = Table::new(2, "sums");
const KEYS: Index = Index::new(3, "keys");
const SEQUENCE: u64 = 7;

/// More jobs than wait for the committer while it works alone.
const MANY: u64 = 64;

type Answers = Receiver<(u64, Result<(), CommitError>)>;

/// Claims a row and a fingerprint, draws a number and adds to a sum.
fn paper(key: u64) -> Batch {
    let mut batch = Batch::new();
    batch.claim(ROWS, &key, &key);
    batch.draw(&SEQUENCE);
    batch.add(SUMS, &0, 1);
    batch.claim_fingerprints(KEYS, 0, vec![(fingerprint(key), [1; 16])], Seen::default());
    batch
}

fn fingerprint(key: u64) -> Fingerprint {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&key.to_be_bytes());
    Fingerprint(bytes)
}

/// Hands in the batches, and gives what they are answered, each with its place.
fn hand_in(store: &TempStore, batches: impl IntoIterator<Item = Batch>) -> Answers {
    let (sender, answers) = mpsc::channel();
    for (place, batch) in (0..).zip(batches) {
        let sender = sender.clone();
        store.commit(batch, move |result| sender.send((place, result.map(drop))).unwrap());
    }
    answers
}

#[test]
fn a_group_is_resolved_against_the_one_on_its_way_which_nobody_else_sees() {
    let store = TempStore::new();
    store.write_blocking(paper(1)).unwrap();
    let held = store.hold_groups();
    let first = hand_in(&store, [paper(2)]);
    held.wait();

    let (told, tells) = mpsc::channel();
    let mut behind: Vec<Batch> = (3..MANY).map(paper).collect();
    behind[0].with_numbers(move |numbers, _| told.send(numbers[0]).unwrap());
    behind.push(paper(2));
    let mut known = Batch::new();
    known.claim_fingerprints(KEYS, 0, vec![(fingerprint(2), [2; 16])], Seen::default());
    behind.push(known);
    let second = hand_in(&store, behind);
    assert_eq!(tells.recv(), Ok(3), "the number behind the one that is not durable yet");

    assert_eq!((store.get(ROWS, &1), store.get(ROWS, &2)), (Ok(Some(1)), Ok(None)));
    assert_eq!(store.drawn(&SEQUENCE), Ok(1));
    assert_eq!(store.get(SUMS, &0).map(|sum| sum.map(Sum::value)), Ok(Some(1)));
    assert_eq!(store.find_fingerprints(KEYS, 0, &[fingerprint(2)]).unwrap().found, [None]);
    assert!(first.try_recv().is_err() && second.try_recv().is_err());

    drop(held);
    assert_eq!(first.iter().collect::<Vec<_>>(), [(0, Ok(()))]);
    let answers: Vec<_> = second.iter().collect();
    assert!(answers.iter().map(|(place, _)| *place).eq(0..MANY - 1), "{answers:?}");
    for (place, answer) in answers {
        let refused = matches!(answer, Err(CommitError::Claimed(_)));
        assert!(answer.is_ok() || place >= MANY - 3 && refused, "{place}: {answer:?}");
        assert_eq!(answer.is_ok(), place < MANY - 3, "{place}");
    }
    let papers = MANY - 1;
    assert_eq!(store.drawn(&SEQUENCE), Ok(papers));
    assert_eq!(store.get(SUMS, &0).map(|sum| sum.map(Sum::value)), Ok(Some(papers.into())));
}

#[test]
fn a_group_that_fails_takes_the_one_with_it_that_rests_on_it() {
    let mut store = TempStore::new();
    store.write_blocking(paper(1)).unwrap();
    let held = store.hold_groups();
    let first = hand_in(&store, [paper(2)]);
    held.wait();
    let lane = Lane::new();
    let (told, tells) = mpsc::channel();
    let mut behind: Vec<Batch> = (3..MANY).map(paper).collect();
    behind.iter_mut().for_each(|batch| batch.lane(&lane));
    behind[0].with_numbers(move |_, _| told.send(()).unwrap());
    // One that writes nothing, and one that is refused for what is lost then.
    behind.extend([Batch::new(), paper(2)]);
    let second = hand_in(&store, behind);
    tells.recv().unwrap();
    held.refuse();

    for (place, answer) in first.iter().chain(second.iter()) {
        let Err(CommitError::Failed(reason)) = answer else { panic!("{place}: {answer:?}") };
        assert!(reason.contains("a test has asked for this refusal"), "{reason}");
    }
    assert!(lane.is_broken());
    assert!(store.fault().is_some_and(|fault| fault.contains("the store has stopped")));
    assert!(matches!(store.write_blocking(paper(99)), Err(CommitError::Failed(_))));
    assert_eq!((store.get(ROWS, &1), store.get(ROWS, &2)), (Ok(Some(1)), Ok(None)));
    store.reopen();
    assert_eq!((store.get(ROWS, &2), store.drawn(&SEQUENCE)), (Ok(None), Ok(1)));
    assert_eq!(store.find_fingerprints(KEYS, 0, &[fingerprint(2)]).unwrap().found, [None]);
    store.write_blocking(paper(2)).unwrap();
}

#[test]
fn a_store_that_is_closed_answers_the_group_on_its_way_and_the_one_behind_it() {
    let store = TempStore::new();
    let held = store.hold_groups();
    let first = hand_in(&store, [paper(1)]);
    held.wait();
    let second = hand_in(&store, (2..MANY).map(paper));
    thread::scope(|scope| {
        scope.spawn(|| store.close());
        drop(held);
    });
    assert!(first.iter().chain(second.iter()).all(|(_, answer)| answer.is_ok()));
}
