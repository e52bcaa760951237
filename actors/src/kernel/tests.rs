//! The kernel, tried with the smallest room that keeps a sum on disk.

mod late;
mod resting;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use storage::testing::{AfterFailure, TempStore};
use storage::{Batch, ReadError, Store, Table, View};

use super::actor::Work;
use super::*;
use crate::clock::Clock;

const SUMS: Table<u64, u64> = Table::new(1, "sums");
const SLIPS: Table<u64, u64> = Table::new(2, "slips");

/// Called when a till is asked whose it is, as it is for the last time right before its batch is
/// handed in.
static WHEN_ASKED_WHOSE_IT_IS: Mutex<Option<Box<dyn FnMut() + Send>>> = Mutex::new(None);

struct Till {
    id: u64,
    sum: u64,
    busy: bool,
}

enum Change {
    Sum(u64),
    Busy(bool),
}

impl Room for Till {
    type Id = u64;
    type Change = Change;
    type Tools = ();
    const WORKER: &'static str = "rest of tills";
    const KIND: &'static str = "till";
    const TELLS_OF: ObjectKind = ObjectKind::Seller;

    fn seller(_: u64) -> SellerId {
        if let Some(hook) = &mut *WHEN_ASKED_WHOSE_IT_IS.lock() {
            hook();
        }
        SellerId(1)
    }

    fn object(id: u64) -> u64 {
        id
    }

    fn load(id: u64, store: &View, _: &()) -> Result<Self, ReadError> {
        Ok(Self { id, sum: store.get(SUMS, &id)?.unwrap_or_default(), busy: false })
    }

    fn apply(&mut self, change: Change, rows: &mut Batch) {
        match change {
            Change::Sum(sum) => {
                self.sum = sum;
                rows.put(SUMS, &self.id, &sum);
            }
            Change::Busy(busy) => self.busy = busy,
        }
    }

    fn rests(&self) -> bool {
        !self.busy
    }
}

async fn tills(store: &TempStore, settings: RoomSettings) -> Rooms<Till> {
    let services = Services::over(Store::clone(store), Clock::wall());
    Rooms::start(services, (), settings).await.expect("rooms start")
}

/// Adds an amount under a slip that is used once.
async fn add(rooms: &Rooms<Till>, till: u64, amount: u64, slip: u64) -> Result<u64, AskError> {
    let added = rooms.once(till, move |room, cx| {
        cx.once(SLIPS, &slip)?;
        let mut effects = Effects::new();
        effects.claim(SLIPS, &slip, &room.id);
        effects.change(Change::Sum(room.sum + amount));
        Ok(effects.answer(room.sum + amount))
    });
    match added.await? {
        Once::Made(sum) => Ok(sum),
        Once::Before => Err(Refusal::conflict("slip used").into()),
    }
}

async fn sum(rooms: &Rooms<Till>, till: u64) -> Result<u64, AskError> {
    rooms.command(till, |room, _| Ok(Decision::unchanged(room.sum))).await
}

fn used() -> AskError {
    Refusal::conflict("slip used").into()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_writers_at_one_room_are_all_kept_and_none_waits_for_another() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    let writers = (0..1_000_u64).map(|slip| {
        let rooms = rooms.clone();
        tokio::spawn(async move { add(&rooms, 7, 1, slip).await })
    });
    let mut sums = Vec::new();
    for writer in futures::future::join_all(writers).await {
        sums.push(writer.expect("no panic").expect("kept"));
    }
    sums.sort_unstable();
    assert_eq!(sums, (1..=1_000).collect::<Vec<_>>());
    assert_eq!(store.get(SUMS, &7), Ok(Some(1_000)));
    assert!(store.stats().groups < 1_000, "the room waited for each flush");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_answers_its_caller_unanswered_and_disturbs_nobody() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    assert_eq!(add(&rooms, 1, 5, 1).await, Ok(5));
    assert_eq!(add(&rooms, 2, 6, 2).await, Ok(6));
    let died = rooms.command::<()>(1, |_, _| panic!("asked to")).await;
    assert_eq!(died, Err(AskError::Unanswered));
    assert_eq!(sum(&rooms, 2).await, Ok(6));
    assert_eq!(sum(&rooms, 1).await, Ok(5));
    assert_eq!(add(&rooms, 1, 1, 3).await, Ok(6));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_sees_the_key_that_it_has_under_way() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    let twice = (0..100_u64).map(|n| {
        let rooms = rooms.clone();
        tokio::spawn(async move { add(&rooms, 1, 1, n / 2).await })
    });
    let ended = futures::future::join_all(twice).await;
    let ended: Vec<_> = ended.into_iter().map(|one| one.expect("no panic")).collect();
    assert_eq!(ended.iter().filter(|one| one.is_ok()).count(), 50);
    assert_eq!(ended.iter().filter(|one| **one == Err(used())).count(), 50);
    assert_eq!(store.get(SUMS, &1), Ok(Some(50)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_claim_is_decided_again_and_so_is_what_was_decided_behind_it() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    // Two tills with the same slips: of each pair one is first, whoever it is.
    let writers = (0..200_u64).map(|n| {
        let rooms = rooms.clone();
        tokio::spawn(async move { add(&rooms, n % 2, 1, n / 2).await })
    });
    let mut kept = 0;
    for writer in futures::future::join_all(writers).await {
        match writer.expect("no panic") {
            Ok(_) => kept += 1,
            Err(why) => assert_eq!(why, used()),
        }
    }
    assert_eq!(kept, 100);
    let sums = [0, 1].map(|till| store.get(SUMS, &till).expect("read").unwrap_or_default());
    assert_eq!(sums.iter().sum::<u64>(), 100);
    assert_eq!([sum(&rooms, 0).await, sum(&rooms, 1).await], sums.map(Ok));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_does_not_rest_on_what_failed_while_it_was_decided() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    assert_eq!(add(&rooms, 1, 1, 9).await, Ok(1));
    // The room claims a slip that another has, and is asked again before it hears of that.
    let (decided, again) = std::sync::mpsc::channel();
    let again = Mutex::new(again);
    let blind = rooms.command(2, move |room, _| {
        let _ = decided.send(());
        let mut effects = Effects::new();
        effects.claim(SLIPS, &9, &room.id);
        effects.change(Change::Sum(room.sum + 100));
        Ok(effects.answer(()))
    });
    let seen = rooms.command(2, move |room, _| {
        let sum = room.sum;
        if sum > 0 {
            // By the next attempt of the other command, or its end, the batch has failed.
            let again = again.lock();
            while again.try_recv().is_ok() {}
            let _ = again.recv_timeout(Duration::from_secs(10));
        }
        Ok(Decision::unchanged(sum))
    });
    let (blind, seen) = futures::join!(blind, seen);
    assert_eq!((blind, seen), (Err(AskError::Busy), Ok(0)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_nobody_looked_for_ends_as_busy() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    assert_eq!(add(&rooms, 1, 1, 9).await, Ok(1));
    let blind = rooms.command(2, |room, _| {
        let mut effects = Effects::new();
        effects.claim(SLIPS, &9, &room.id);
        Ok(effects.answer(()))
    });
    assert_eq!(blind.await, Err(AskError::Busy));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_commit_is_told_and_leaves_no_trace_in_memory() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    assert_eq!(add(&rooms, 1, 1, 1).await, Ok(1));
    store.fail_at(1, AfterFailure::WorksOn);
    assert_eq!(add(&rooms, 1, 100, 2).await, Err(Refusal::fault().into()));
    assert_eq!(add(&rooms, 1, 1, 3).await, Ok(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drawn_number_is_answered_and_known_to_a_room_that_starts_anew() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    let draw = |rooms: &Rooms<Till>| {
        let rooms = rooms.clone();
        tokio::spawn(async move {
            let drawn = rooms.command(1, |room, _| {
                let (id, before) = (room.id, room.sum);
                let mut effects = Effects::new();
                let drawn = effects.draw(&"sums".to_owned(), move |number, rows| {
                    rows.put(SUMS, &id, &number);
                    (before, number)
                });
                effects.start_anew();
                Ok(effects.answer_drawn(drawn, |drawn| drawn))
            });
            drawn.await
        })
    };
    let asked: Vec<_> = (0..20).map(|_| draw(&rooms)).collect();
    let mut drawn = Vec::new();
    for one in futures::future::join_all(asked).await {
        drawn.push(one.expect("no panic").expect("drawn"));
    }
    drawn.sort_unstable();
    assert_eq!(drawn, (0..20).map(|n| (n, n + 1)).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_to_happen_once_durable_happens_before_the_answer() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    let seen = Arc::new(Mutex::new(None));
    let (note, reader) = (Arc::clone(&seen), Store::clone(&store));
    let changed = rooms.command(1, move |_, _| {
        let (note, reader) = (Arc::clone(&note), reader.clone());
        let mut effects = Effects::new();
        effects.change(Change::Sum(3));
        effects.once_durable(move || *note.lock() = reader.get(SUMS, &1).expect("read"));
        Ok(effects.answer(()))
    });
    assert_eq!(changed.await, Ok(()));
    assert_eq!(*seen.lock(), Some(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_follows_a_commit_is_told_although_a_part_of_it_panics() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&told);
    let changed = rooms.command(1, move |_, _| {
        let notes = Arc::clone(&notes);
        let mut effects = Effects::new();
        effects.change(Change::Sum(3));
        effects.once_durable(|| panic!("asked to"));
        effects.once_durable(move || notes.lock().push("told"));
        Ok(effects.answer("durable"))
    });
    assert_eq!(changed.await, Ok("durable"));
    assert_eq!(*told.lock(), ["told"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_takes_over_from_a_room_that_starts_anew_before_its_batch_is_handed_in() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    let (seen, sums) = std::sync::mpsc::channel();
    let asked = Arc::new(AtomicUsize::new(0));
    let (asking, count) = (rooms.clone(), Arc::clone(&asked));
    let changed = rooms.command(1, move |_, _| {
        let (asking, count, seen) = (asking.clone(), Arc::clone(&count), seen.clone());
        *WHEN_ASKED_WHOSE_IT_IS.lock() = Some(Box::new(move || {
            count.fetch_add(1, Ordering::SeqCst);
            // Who asks now is taken by the room, which sends him on to its successor.
            let seen = seen.clone();
            let sum = Work(Box::new(move |till: &mut commit::Running<Till>| {
                let _ = seen.send(till.room.sum);
            }));
            asking.kind.entries.send_to_running(1, sum);
        }));
        let mut effects = Effects::new();
        effects.change(Change::Sum(3));
        effects.start_anew();
        Ok(effects.answer(()))
    });
    assert_eq!(changed.await, Ok(()));
    *WHEN_ASKED_WHOSE_IT_IS.lock() = None;
    assert_eq!(sum(&rooms, 1).await, Ok(3));
    // Until all have asked, or are gone.
    let sums: Vec<_> = sums.iter().collect();
    assert_eq!(sums, vec![3; asked.load(Ordering::SeqCst)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_turns_callers_away_and_does_nothing() {
    let store = TempStore::new();
    let settings = RoomSettings { queue: 2, ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    let (enter, entered) = std::sync::mpsc::channel();
    let (leave, left) = std::sync::mpsc::channel::<()>();
    let left = Mutex::new(left);
    let first = {
        let rooms = rooms.clone();
        tokio::spawn(async move {
            rooms
                .command(1, move |_, _| {
                    let _ = enter.send(());
                    let _ = left.lock().recv();
                    Ok(Decision::unchanged(()))
                })
                .await
        })
    };
    tokio::task::spawn_blocking(move || entered.recv()).await.expect("ran").expect("entered");
    // One more has a place, whichever of the two is first.
    let others = [rooms.clone(), rooms.clone()]
        .map(|rooms| tokio::spawn(async move { sum(&rooms, 1).await }));
    let (turned_away, _, other) = futures::future::select_all(others).await;
    assert_eq!(turned_away.expect("no panic"), Err(AskError::Busy));
    leave.send(()).expect("it waits");
    assert_eq!(first.await.expect("no panic"), Ok(()));
    for other in other {
        assert_eq!(other.await.expect("no panic"), Ok(0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_lets_the_rooms_finish_what_they_took() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    let asked: Vec<_> = (0..100_u64)
        .map(|slip| {
            let rooms = rooms.clone();
            tokio::spawn(async move { add(&rooms, slip % 5, 1, slip).await })
        })
        .collect();
    for one in futures::future::join_all(asked).await {
        one.expect("no panic").expect("kept");
    }
    rooms.stop().await;
    assert_eq!(rooms.alive(), 0);
    assert_eq!(sum(&rooms, 1).await, Err(AskError::Busy));
}
