//! What the tests of the rooms share.

use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use storage::testing::TempStore;
use storage::{Scan, Store};

use crate::clock::Clock;
use crate::delivery::DeliverySettings;
use crate::domain::payments::payment::Windows;
use crate::domain::platform::event::EventType;
use crate::domain::testing::instant;
use crate::kernel::{Room, RoomSettings};
use crate::mail::MailSettings;
use crate::seller::Minted;
use crate::system::{System, SystemSettings};
use crate::tables::{EVENTS, OUTBOX};
use crate::timers::Timers;
use crate::verify::{Rows, verify};

/// A system over a store in a temporary folder, with a clock that is pushed and a minted account.
pub(crate) struct Running {
    pub(crate) store: TempStore,
    pub(crate) clock: Clock,
    pub(crate) system: System,
    pub(crate) minted: Minted,
}

impl Running {
    pub(crate) async fn open(settings: SystemSettings) -> Self {
        let store = TempStore::new();
        let clock = Clock::by_hand(instant("2026-11-21T09:00:00Z"));
        let system = start(&store, &clock, settings).await;
        let minted = system.sellers.mint_sandbox(Ipv4Addr::LOCALHOST.into()).await;
        let minted = minted.expect("minted");
        Self { store, clock, system, minted }
    }
}

/// Starts a system over what is stored.
pub(crate) async fn start(store: &Store, clock: &Clock, settings: SystemSettings) -> System {
    let started = System::start(store.clone(), clock.clone(), &[7; 32], settings);
    started.await.expect("started")
}

/// Stops a system, and proves that what it leaves behind is right.
pub(crate) async fn close(system: System, mut store: TempStore) {
    system.stop().await;
    store.reopen();
    let found = verify(&store, Rows::Still).expect("looked");
    assert!(found.faults.is_empty(), "{:?}", found.faults);
}

/// Waits until something is so, and says what has not become so in half a minute.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Waits until all messages between rooms have been taken.
pub(crate) async fn until_told(store: &Store) {
    let none = || store.scan(OUTBOX, Scan::all()).next().is_none();
    until("the messages are taken", none).await;
}

/// How many events of a kind there are.
pub(crate) fn told(store: &Store, kind: EventType) -> usize {
    let events = store.scan(EVENTS, Scan::all()).values().expect("read");
    events.iter().filter(|event| event.kind == kind).count()
}

impl SystemSettings {
    /// A demo system whose passes run only when they are asked to.
    pub(crate) fn testing() -> Self {
        Self {
            demo: true,
            rooms: RoomSettings::default(),
            // No write but those of the rooms.
            deliveries: DeliverySettings {
                cursor_pace: Duration::from_secs(3_600),
                ..DeliverySettings::default()
            },
            pass_interval: Duration::from_secs(3_600),
            windows: Windows::default(),
            verification_seconds: 2,
            payout_seconds: 5,
            provider_timeout: Duration::from_secs(5),
            max_letters: 100_000,
            usage_grace_minutes: 0,
            sandbox_bytes: 0,
            sandbox_keep_days: 7,
            mail: MailSettings::default(),
        }
    }
}

/// Reads a room as it starts, with how many requests that takes: for its rows, and for its timers.
/// Nobody may read the store meanwhile.
pub(crate) fn read_room<R: Room>(store: &Store, id: R::Id, tools: &R::Tools) -> (R, [u64; 2]) {
    let requests = || store.stats().reads;
    let before = requests();
    let mut room = R::load(id, store, tools).expect("readable");
    let loaded = requests();
    let timers = Timers::on_disk(store, R::seller(id), R::object(id), &room.timers());
    timers.expect("readable");
    (room, [loaded - before, requests() - loaded])
}
