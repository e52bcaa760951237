//! Many who compete for each version of one room.

use super::*;
use crate::domain::refusal::RefusalKind;
use crate::testing::until;

/// Adds 1 to a sum that must be what the caller takes it for.
async fn raise(rooms: &Rooms<Till>, base: u64) -> Result<u64, AskError> {
    let raised = rooms.command(1, move |room: &Till, _: &Context<Till>| {
        if room.sum != base {
            return Err(stale(room.sum));
        }
        let mut effects = Effects::new();
        effects.change(Change::Sum(base + 1));
        Ok(effects.answer(base + 1))
    });
    raised.await
}

fn stale(sum: u64) -> Refusal {
    Refusal { kind: RefusalKind::Stale, ..Refusal::conflict(sum.to_string()) }
}

/// Raises the sum, from whatever it is, and counts how often it is told that it came too late.
async fn raise_in_the_end(rooms: Rooms<Till>) -> u64 {
    let (mut base, mut refused) = (0, 0);
    loop {
        match raise(&rooms, base).await {
            Ok(_) => return refused,
            Err(AskError::Refused(refusal)) => {
                let current = refusal.text.parse().expect("the current sum");
                assert!(current > base, "{base} was refused as {current}");
                (base, refused) = (current, refused + 1);
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_compete_few_are_refused_for_each_who_is_first() {
    const CLIENTS: u64 = 64;
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    let clients = (0..CLIENTS).map(|_| tokio::spawn(raise_in_the_end(rooms.clone())));
    let mut refused = 0;
    for client in futures::future::join_all(clients).await {
        refused += client.expect("no panic");
    }
    assert_eq!(sum(&rooms, 1).await, Ok(CLIENTS));
    // Each of those that are left would be refused behind each commit.
    let if_all_were_told = CLIENTS * (CLIENTS - 1) / 2;
    assert!(refused < if_all_were_told / 2, "{refused} refusals of {CLIENTS} clients");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_came_too_late_is_told_although_nobody_writes_any_more() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    let raised = futures::future::join_all((0..20).map(|_| raise(&rooms, 0))).await;
    let first = raised.iter().filter(|raised| **raised == Ok(1)).count();
    let late = raised.iter().filter(|raised| **raised == Err(stale(1).into())).count();
    assert_eq!((first, late), (1, 19), "{raised:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_came_too_late_for_what_failed_is_decided_again_on_what_is_durable() {
    let store = TempStore::new();
    let rooms = tills(&store, RoomSettings::default()).await;
    assert_eq!(sum(&rooms, 1).await, Ok(0));
    store.fail_at(1, AfterFailure::WorksOn);
    let raised = futures::future::join_all((0..20).map(|_| raise(&rooms, 0))).await;
    let count = |of: Result<u64, AskError>| raised.iter().filter(|raised| **raised == of).count();
    let (failed, first) = (count(Err(Refusal::fault().into())), count(Ok(1)));
    assert_eq!((failed, first, count(Err(stale(1).into()))), (1, 1, 18), "{raised:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_rests_once_all_are_told_that_came_too_late() {
    let store = TempStore::new();
    let settings = RoomSettings { idle: Duration::from_millis(20), ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    futures::future::join_all((0..20).map(|_| raise(&rooms, 0))).await;
    until("all rooms rest", || rooms.alive() == 0).await;
    assert_eq!(sum(&rooms, 1).await, Ok(1));
}
