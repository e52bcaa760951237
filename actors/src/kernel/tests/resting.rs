//! Rooms that are stopped when they are idle or too many.

use super::*;
use crate::testing::until;

#[tokio::test(flavor = "multi_thread")]
async fn idle_rooms_are_stopped_and_come_back_with_what_they_knew() {
    let store = TempStore::new();
    let settings = RoomSettings { idle: Duration::from_millis(50), ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    for till in 0..100 {
        assert_eq!(add(&rooms, till, till, till).await, Ok(till));
    }
    until("all rooms rest", || rooms.alive() == 0).await;
    assert_eq!(sum(&rooms, 42).await, Ok(42));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_panics_does_not_keep_its_room_from_resting() {
    let store = TempStore::new();
    let settings = RoomSettings { idle: Duration::from_millis(20), ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    let died = rooms.command(1, |_, _| {
        let mut effects = Effects::new();
        effects.change(Change::Sum(3));
        Ok(effects.answer(()).map(|()| panic!("asked to")))
    });
    assert_eq!(died.await, Err::<(), _>(AskError::Unanswered));
    until("all rooms rest", || rooms.alive() == 0).await;
    assert_eq!(sum(&rooms, 1).await, Ok(3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_does_not_rest_is_not_stopped() {
    let store = TempStore::new();
    let settings = RoomSettings { idle: Duration::from_millis(20), ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    let busy = |till, busy| {
        rooms.command(till, move |_, _| {
            let mut effects = Effects::new();
            effects.change(Change::Busy(busy));
            Ok(effects.answer(()))
        })
    };
    assert_eq!(busy(1, true).await, Ok(()));
    // Whenever another room has come and been stopped, this one might have been.
    for other in 2..6 {
        assert_eq!(sum(&rooms, other).await, Ok(0));
        until("all rooms but one rest", || rooms.alive() <= 1).await;
    }
    let busy_still = rooms.command(1, |room, _| Ok(Decision::unchanged(room.busy))).await;
    assert_eq!(busy_still, Ok(true));
    assert_eq!(busy(1, false).await, Ok(()));
    until("all rooms rest", || rooms.alive() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_their_number_the_least_recently_used_rooms_rest_whatever_their_age() {
    let store = TempStore::new();
    let settings =
        RoomSettings { idle: Duration::from_secs(3_600), most: 10, ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    for till in 0..100 {
        assert_eq!(add(&rooms, till, till, till).await, Ok(till));
        // The room of everybody is among the last used at any time.
        assert_eq!(add(&rooms, 1_000, 1, 1_000 + till).await, Ok(till + 1));
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    until("all rooms but 10 rest", || rooms.alive() <= 10).await;
    assert!(rooms.is_alive(1_000));
    assert!((0..50).all(|till| !rooms.is_alive(till)));
    assert_eq!(sum(&rooms, 42).await, Ok(42));
}

#[tokio::test(flavor = "multi_thread")]
async fn rooms_that_do_not_rest_may_be_too_many() {
    let store = TempStore::new();
    let settings =
        RoomSettings { idle: Duration::from_millis(100), most: 2, ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    let busy = |till, busy| {
        rooms.command(till, move |_, _| {
            let mut effects = Effects::new();
            effects.change(Change::Busy(busy));
            Ok(effects.answer(()))
        })
    };
    for till in 0..20 {
        assert_eq!(busy(till, true).await, Ok(()));
    }
    for till in 20..30 {
        assert_eq!(sum(&rooms, till).await, Ok(0));
    }
    until("all rooms but 20 rest", || rooms.alive() <= 20).await;
    for till in 0..20 {
        assert_eq!(busy(till, false).await, Ok(()));
    }
    until("all rooms rest", || rooms.alive() == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_is_asked_in_passing_rests_soon_unless_somebody_else_asked_it() {
    let store = TempStore::new();
    let settings = RoomSettings { idle: Duration::from_secs(3_600), ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    assert_eq!(sum(&rooms, 1).await, Ok(0));
    for till in 0..50 {
        let passing = |room: &Till, _: &Context<Till>| Ok(Decision::unchanged(room.sum));
        assert_eq!(rooms.command_in_passing(till, passing).await, Ok(0));
    }
    until("all rooms but one rest", || rooms.alive() <= 1).await;
    assert!(rooms.is_alive(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_room_that_starts_anew_is_not_kept() {
    let store = TempStore::new();
    let settings = RoomSettings { idle: Duration::from_secs(3_600), ..RoomSettings::default() };
    let rooms = tills(&store, settings).await;
    for till in 0..50 {
        let anew = rooms.command(till, |_, _| {
            let mut effects = Effects::new();
            effects.start_anew();
            Ok(effects.answer(()))
        });
        assert_eq!(anew.await, Ok(()));
    }
    until("all rooms rest", || rooms.alive() == 0).await;
}
