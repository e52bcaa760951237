//! Deliveries: an event on its way to one webhook, and what becomes of each attempt.

mod envelope;

use minicbor::{Decode, Encode};

pub use envelope::render;

use super::event::{Event, EventObject, EventType, kind_name};
use super::webhook::MAX_WEBHOOKS;
use crate::domain::ids::{DeliveryId, EventId, SellerId, WebhookId};
use crate::domain::names::names;
use crate::domain::time::Timestamp;

/// Attempts in one series, after which a delivery has failed.
pub const MAX_ATTEMPTS: u32 = 3;

/// The only status that counts as received.
pub const RECEIVED: u16 = 200;

/// An event on its way to one webhook. What it carries is kept with the event.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Delivery {
    #[n(0)]
    pub id: DeliveryId,
    #[n(1)]
    pub seller: SellerId,
    #[n(2)]
    pub webhook: WebhookId,
    /// The event, the same for all webhooks and all attempts.
    #[n(3)]
    pub event: EventId,
    /// The place of the event among those of its seller.
    #[n(4)]
    pub sequence: u64,
    #[cbor(n(5), with = "kind_name")]
    pub event_type: EventType,
    /// The object with whose other events it keeps order until it has ended.
    #[n(6)]
    pub line: Option<EventObject>,
    #[n(7)]
    pub status: DeliveryStatus,
    #[n(8)]
    pub attempts: u32,
    #[n(9)]
    pub created_at: Timestamp,
    /// When the next attempt is due; a pending one without waits for its turn.
    #[n(10)]
    pub next_attempt_at: Option<Timestamp>,
    #[n(11)]
    pub last_attempt_at: Option<Timestamp>,
    #[n(12)]
    pub last_status: Option<u16>,
    /// Why the latest attempt did not succeed, or why there will be none.
    #[n(13)]
    pub last_error: Option<String>,
    /// When the present series was received; none while it was not.
    #[n(14)]
    pub delivered_at: Option<Timestamp>,
}

/// How many webhooks one event can be delivered to: what the ids of deliveries have room for.
pub const MOST_OF_AN_EVENT: usize = 128;

const _: () = assert!(MAX_WEBHOOKS <= MOST_OF_AN_EVENT);

/// The delivery of an event to the webhook at `place` in its list. The same each time, so that
/// one that was made before is known again.
pub fn delivery_id(event: EventId, place: usize) -> DeliveryId {
    let place = u64::try_from(place).unwrap_or(u64::MAX).min(MOST_OF_AN_EVENT as u64 - 1);
    DeliveryId(event.0 * MOST_OF_AN_EVENT as u64 + place)
}

names! {
    DeliveryStatus;
    /// An attempt is under way or due.
    0 Pending = "pending",
    1 Delivered = "delivered",
    2 Failed = "failed",
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Answered(u16),
    Unanswered(String),
    /// The webhook does not take deliveries any more: there is no further attempt.
    Ended(&'static str),
}

/// Seconds between the attempts of one series (setting `webhooks.retry_seconds`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryDelays(pub [u32; MAX_ATTEMPTS as usize - 1]);

impl RetryDelays {
    /// What live accounts have unless told: one minute, then half an hour.
    pub const LIVE: Self = Self([60, 1_800]);
    /// What demo accounts have unless told: 10 seconds, then a minute.
    pub const DEMO: Self = Self([10, 60]);

    /// When to try again after `attempts` attempts, or never. Up to a tenth is added, as
    /// `jitter` of 65,536 says, so that deliveries that failed together part ways.
    pub fn next(self, attempts: u32, jitter: u16, now: Timestamp) -> Option<Timestamp> {
        let index = usize::try_from(attempts).ok()?.checked_sub(1)?;
        let millis = i64::from(*self.0.get(index)?) * 1_000;
        Some(now.plus_millis(millis + millis * i64::from(jitter) / 655_360))
    }
}

impl Delivery {
    /// The delivery of an event to the webhook at `place` in its list, due at once.
    pub fn first(seller: SellerId, sequence: u64, event: &Event, place: usize) -> Option<Self> {
        Some(Self {
            id: delivery_id(event.id, place),
            seller,
            webhook: *event.webhooks.get(place)?,
            event: event.id,
            sequence,
            event_type: event.kind,
            line: None,
            status: DeliveryStatus::Pending,
            attempts: 0,
            created_at: event.created_at,
            next_attempt_at: Some(event.created_at),
            last_attempt_at: None,
            last_status: None,
            last_error: None,
            delivered_at: None,
        })
    }

    /// What the delivery is after an attempt. `retry` is when to try again, if at all.
    pub fn attempted(mut self, outcome: Outcome, retry: Option<Timestamp>, now: Timestamp) -> Self {
        self.next_attempt_at = None;
        let (status, error) = match outcome {
            Outcome::Answered(RECEIVED) => {
                self.delivered_at = Some(now);
                self.status = DeliveryStatus::Delivered;
                (Some(RECEIVED), None)
            }
            Outcome::Ended(reason) => {
                self.status = DeliveryStatus::Failed;
                self.last_error = Some(reason.to_owned());
                return self;
            }
            Outcome::Answered(status) => (Some(status), Some(format!("answered {status}"))),
            Outcome::Unanswered(reason) => (None, Some(reason)),
        };
        self.attempts += 1;
        self.last_attempt_at = Some(now);
        self.last_status = status;
        self.last_error = error;
        if self.status == DeliveryStatus::Pending {
            match retry {
                Some(due) => self.next_attempt_at = Some(due),
                None => self.status = DeliveryStatus::Failed,
            }
        }
        self
    }

    /// Whether it waits for others of its object.
    pub fn is_held_back(&self) -> bool {
        self.status == DeliveryStatus::Pending && self.next_attempt_at.is_none()
    }

    /// The delivery with a new series of attempts, of which the first is due now. One that has
    /// ended keeps no order any more, and that an earlier series was received says nothing of this
    /// one.
    pub fn again(mut self, now: Timestamp) -> Self {
        if self.status != DeliveryStatus::Pending {
            self.line = None;
        }
        self.status = DeliveryStatus::Pending;
        self.attempts = 0;
        self.next_attempt_at = Some(now);
        self.delivered_at = None;
        self
    }
}

impl storage::CborRecord for Delivery {}

#[cfg(test)]
mod tests;
