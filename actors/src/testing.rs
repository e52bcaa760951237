//! What the tests of the rooms share.

use std::time::Duration;

use storage::Store;

use crate::delivery::DeliverySettings;
use crate::domain::payments::payment::Windows;
use crate::kernel::{Room, RoomSettings};
use crate::mail::MailSettings;
use crate::system::SystemSettings;
use crate::timers::Timers;

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
