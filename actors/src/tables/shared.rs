//! Rows that pass between rooms, and those of the workers beside them. A timer or message is
//! written by the room that causes it and removed by the one it is for; a delivery is written with
//! its event and from then on by the delivery pool; quota counts belong to the limiter, logos to
//! the pages.

use storage::Table;

use crate::chunked::{Chunked, Parts};
use crate::domain::ids::{DeliveryId, MessageId, SellerId, WebhookId};
use crate::domain::messages::Message;
use crate::domain::payments::logo::Logo;
use crate::domain::platform::delivery::Delivery;
use crate::domain::platform::limits::RollingCounter;
use crate::domain::time::Timestamp;
use crate::logos::LogoKey;

/// Deliveries, each with the body of its event.
pub const DELIVERIES: Table<(SellerId, DeliveryId), Delivery> = Table::new(42, "deliveries");
/// Pending deliveries, for each webhook the soonest due first. The instant is the delivery's
/// `next_attempt_at`.
pub const OPEN_DELIVERIES: Table<(SellerId, WebhookId, Timestamp, DeliveryId), ()> =
    Table::new(43, "open deliveries");
/// Timers: kind, seller, instant, object; those of a seller soonest first.
pub const TIMERS: Table<(u8, SellerId, Timestamp, u64), ()> = Table::new(50, "timers");
/// Messages on their way to another room: for each addressee its messages in order. The key is
/// that of [`Addressee::row`](crate::domain::messages::Addressee::row). Who takes a message
/// deletes its row in the same batch: what has no row is taken.
pub const OUTBOX: Table<(SellerId, u8, u64, MessageId), Message> = Table::new(51, "outbox");
/// What counts towards a daily write quota, by seller and kind of write.
pub const QUOTA_COUNTS: Table<(SellerId, u8), RollingCounter> = Table::new(60, "quota counts");
pub const LOGOS: Table<(SellerId, LogoKey), Chunked<Logo>> = Table::new(97, "logos");
/// The parts of large logos.
pub const LOGO_PARTS: Parts<(SellerId, LogoKey)> = Table::new(98, "logo parts");
/// What lists find objects by: seller, facet, value, id. See [`listing`](crate::listing).
pub const PLACES: Table<(SellerId, u8, u64, u64), ()> = Table::new(130, "places");
