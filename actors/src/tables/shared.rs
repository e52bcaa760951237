//! Rows that pass between rooms, and those of the workers beside them. A timer or message is
//! written by the room that causes it and removed by the one it is for; an event is written by the
//! room that causes it, and all that follows from it by the delivery pool; quota counts belong to
//! the limiter, logos to the pages.

use storage::Table;

use crate::chunked::Parts;
use crate::domain::ids::{DeliveryId, MessageId, SellerId, WebhookId};
use crate::domain::messages::Message;
use crate::domain::payments::logo::Logo;
use crate::domain::platform::delivery::Delivery;
use crate::domain::platform::event::Event;
use crate::domain::platform::limits::RollingCounter;
use crate::domain::time::Timestamp;
use crate::logos::LogoKey;
use crate::secrets::KeyFingerprint;

/// The events of a seller by their sequence.
pub const EVENTS: Table<(SellerId, u64), Event> = Table::new(130, "events");
/// Up to which event a seller's deliveries are made.
pub const EXPANDED: Table<SellerId, u64> = Table::new(131, "expanded events");
pub const DELIVERIES: Table<(SellerId, DeliveryId), Delivery> = Table::new(42, "deliveries");
/// Pending deliveries, for each webhook the soonest due first. The instant is the delivery's
/// `next_attempt_at`.
pub const OPEN_DELIVERIES: Table<(SellerId, WebhookId, Timestamp, DeliveryId), ()> =
    Table::new(43, "open deliveries");
/// Deliveries by webhook, number of their status, and event type. Those of call-backs, each of
/// which has a webhook of its own, are together under webhook 0.
pub const DELIVERY_INDEX: Table<(SellerId, WebhookId, u8, String, DeliveryId), ()> =
    Table::new(132, "delivery index");
/// Deliveries to a webhook that keeps order which have not ended: by the number of the object's
/// kind, the object and the event's sequence. The first of an object is the one whose turn it is.
pub const DELIVERY_LINES: Table<(SellerId, WebhookId, u8, u64, u64), DeliveryId> =
    Table::new(133, "delivery lines");
/// Timers: kind, seller, instant, object; those of a seller soonest first.
pub const TIMERS: Table<(u8, SellerId, Timestamp, u64), ()> = Table::new(50, "timers");
/// Messages on their way to another room: for each addressee its messages in order. The key is
/// that of [`Addressee::row`](crate::domain::messages::Addressee::row). Who takes a message
/// deletes its row in the same batch: what has no row is taken.
pub const OUTBOX: Table<(SellerId, u8, u64, MessageId), Message> = Table::new(51, "outbox");
/// What counts towards a daily write quota, by seller and kind of write.
pub const QUOTA_COUNTS: Table<(SellerId, u8), RollingCounter> = Table::new(60, "quota counts");
/// Under 0, the fingerprint of the key that secrets are sealed with.
pub const SECRETS_KEY: Table<u8, KeyFingerprint> = Table::new(230, "secrets key");
/// By the number of a backfill, the last account that it is done for; [`u64::MAX`] where it is done
/// for all. See `backfill`.
pub const BACKFILLS: Table<u8, u64> = Table::new(240, "backfills");
pub const LOGOS: Table<(SellerId, LogoKey), Logo> = Table::new(97, "logos");
/// The pictures of logos.
pub const LOGO_PARTS: Parts<(SellerId, LogoKey)> = Table::new(98, "logo parts");
/// What lists find objects by: seller, facet, value, id. See [`listing`](crate::listing).
pub const PLACES: Table<(SellerId, u8, u64, u64), ()> = Table::new(110, "places");
