//! The kernel, tried with the smallest room that keeps a sum on disk.

use std::time::Duration;

use storage::testing::{AfterFailure, TempStore};
use storage::{Batch, ReadError, Store, Table};

use super::{AskError, Desk, Refused, Reply, Room, RoomSettings, Rooms};
use crate::clock::Clock;
use crate::domain::refusal::Refusal;

const SUMS: Table<u64, u64> = Table::new(1, "sums");
const SLIPS: Table<u64, u64> = Table::new(2, "slips");

struct Till {
    id: u64,
    sum: u64,
}

enum Command {
    /// Adds an amount under a slip that may be used once.
    Add {
        amount: u64,
        slip: u64,
        reply: Reply<Result<u64, Refusal>>,
    },
    Read {
        reply: Reply<Result<u64, Refusal>>,
    },
    Panic {
        _reply: Reply<Result<(), Refusal>>,
    },
    Wait {
        until: std::sync::Arc<tokio::sync::Notify>,
        reply: Reply<Result<(), Refusal>>,
    },
}

impl Room for Till {
    type Id = u64;
    type Command = Command;
    type Tools = ();
    const KIND: &'static str = "till";

    fn load(id: u64, store: &Store, _: &()) -> Result<Self, ReadError> {
        Ok(Self { id, sum: store.get(SUMS, &id)?.unwrap_or_default() })
    }

    async fn handle(&mut self, command: Command, desk: &Desk<Self>) {
        match command {
            Command::Add { amount, slip, reply } => {
                self.sum += amount;
                let sum = self.sum;
                let mut batch = Batch::new();
                batch.put(SUMS, &self.id, &sum);
                batch.claim(SLIPS, &slip, &self.id);
                desk.commit(batch, reply, move |result| match result {
                    Ok(_) => Ok(sum),
                    Err(Refused::Claimed(_)) => Err(Refusal::conflict("slip used")),
                    Err(Refused::Failed(_)) => Err(Refusal::fault()),
                });
            }
            Command::Read { reply } => reply.send(Ok(self.sum)),
            Command::Panic { .. } => panic!("asked to"),
            Command::Wait { until, reply } => {
                until.notified().await;
                reply.send(Ok(()));
            }
        }
    }
}

async fn tills(store: &TempStore, settings: RoomSettings) -> Rooms<Till> {
    let store = Store::clone(store);
    Rooms::start(store, Clock::wall(), (), settings).await.expect("rooms start")
}

async fn add(rooms: &Rooms<Till>, till: u64, amount: u64, slip: u64) -> Result<u64, AskError> {
    rooms.ask(till, |reply| Command::Add { amount, slip, reply }).await
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
    let died = rooms.ask(1, |reply| Command::Panic { _reply: reply }).await;
    assert_eq!(died, Err(AskError::Unanswered));
    assert_eq!(rooms.ask(2, |reply| Command::Read { reply }).await, Ok(6));
    assert_eq!(rooms.ask(1, |reply| Command::Read { reply }).await, Ok(5));
    assert_eq!(add(&rooms, 1, 1, 3).await, Ok(6));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_decided_behind_a_refused_batch_is_decided_again() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    assert_eq!(add(&rooms, 1, 1, 0).await, Ok(1));
    let writers = (0..200_u64).map(|n| {
        let rooms = rooms.clone();
        // Every tenth writer comes with the slip that is used already.
        let slip = if n % 10 == 0 { 0 } else { n };
        tokio::spawn(async move { add(&rooms, 2, 1, slip).await })
    });
    let mut kept = 0;
    for writer in futures::future::join_all(writers).await {
        match writer.expect("no panic") {
            Ok(_) => kept += 1,
            Err(why) => assert_eq!(why.refusal().text, "slip used"),
        }
    }
    assert_eq!(kept, 180);
    assert_eq!(store.get(SUMS, &2), Ok(Some(180)));
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
async fn idle_rooms_are_stopped_and_come_back_with_what_they_knew() {
    let store = TempStore::new();
    let settings = RoomSettings { idle: Duration::from_millis(50), ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    for till in 0..100 {
        assert_eq!(add(&rooms, till, till, till).await, Ok(till));
    }
    while rooms.alive() > 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(rooms.ask(42, |reply| Command::Read { reply }).await, Ok(42));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_turns_callers_away_and_does_nothing() {
    let store = TempStore::new();
    let settings = RoomSettings { queue: 2, ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    let gate = std::sync::Arc::new(tokio::sync::Notify::new());
    let until = std::sync::Arc::clone(&gate);
    rooms.tell(1, |reply| Command::Wait { until, reply }).expect("room for the first");
    let (port, _) = tokio::sync::oneshot::channel();
    let read = Command::Read { reply: Reply(port) };
    rooms.kind.send(1, read).expect("room for the second");
    let refused = rooms.ask(1, |reply| Command::Read { reply }).await;
    assert_eq!(refused, Err(AskError::Busy));
    gate.notify_one();
    while rooms.ask(1, |reply| Command::Read { reply }).await.is_err() {
        tokio::task::yield_now().await;
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
    assert_eq!(rooms.ask(1, |reply| Command::Read { reply }).await, Err(AskError::Busy));
}
