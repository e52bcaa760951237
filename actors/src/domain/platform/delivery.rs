//! Deliveries: an event on its way to one webhook, and what becomes of each attempt.

mod envelope;

use bytes::Bytes;
use minicbor::{Decode, Decoder, Encode, Encoder};

pub use envelope::render;

use super::event::EventType;
use super::webhook::filter::known_type;
use crate::domain::ids::{DeliveryId, EventId, SellerId, WebhookId};
use crate::domain::names::names;
use crate::domain::time::Timestamp;

/// Attempts in one series, after which a delivery has failed.
pub const MAX_ATTEMPTS: u32 = 3;

/// The only status that counts as received.
pub const RECEIVED: u16 = 200;

/// An event on its way to one webhook. The body is part of the row: it is rendered once, so
/// every attempt sends the same bytes, and an event that one webhook hears is one row.
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
    #[cbor(n(4), with = "kind_name")]
    pub event_type: EventType,
    #[cbor(n(5), with = "body_bytes")]
    pub body: Bytes,
    #[n(6)]
    pub status: DeliveryStatus,
    #[n(7)]
    pub attempts: u32,
    #[n(8)]
    pub created_at: Timestamp,
    /// While pending, when the next attempt is due.
    #[n(9)]
    pub next_attempt_at: Option<Timestamp>,
    #[n(10)]
    pub last_attempt_at: Option<Timestamp>,
    #[n(11)]
    pub last_status: Option<u16>,
    /// Why the latest attempt did not succeed, or why there will be none.
    #[n(12)]
    pub last_error: Option<String>,
    #[n(13)]
    pub delivered_at: Option<Timestamp>,
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

    /// The delivery with a new series of attempts, of which the first is due now.
    pub fn again(mut self, now: Timestamp) -> Self {
        self.status = DeliveryStatus::Pending;
        self.attempts = 0;
        self.next_attempt_at = Some(now);
        self
    }
}

impl storage::CborRecord for Delivery {}

/// Event types are stored by name: names outlive the order of a list.
mod kind_name {
    use super::{Decoder, Encoder, EventType, known_type};

    pub(super) fn encode<C, W: minicbor::encode::Write>(
        kind: &EventType,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.str(kind.name())?.ok()
    }

    pub(super) fn decode<C>(
        d: &mut Decoder<'_>,
        _: &mut C,
    ) -> Result<EventType, minicbor::decode::Error> {
        known_type(d.str()?)
    }
}

/// Bodies are shared between the deliveries of one event, which `Bytes` does without copying.
mod body_bytes {
    use super::{Bytes, Decoder, Encoder};

    pub(super) fn encode<C, W: minicbor::encode::Write>(
        body: &Bytes,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.bytes(body)?.ok()
    }

    pub(super) fn decode<C>(
        d: &mut Decoder<'_>,
        _: &mut C,
    ) -> Result<Bytes, minicbor::decode::Error> {
        d.bytes().map(Bytes::copy_from_slice)
    }
}

#[cfg(test)]
mod tests;
