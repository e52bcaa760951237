//! What the tests of the rooms share.

use std::time::Duration;

use crate::delivery::DeliverySettings;
use crate::domain::payments::payment::Windows;
use crate::kernel::RoomSettings;
use crate::mail::MailSettings;
use crate::system::SystemSettings;

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
