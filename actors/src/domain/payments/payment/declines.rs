//! How many cards a payment link lets be turned down, so that nobody tries out cards at it.

use super::{Payment, PaymentStatus};
use crate::domain::ids::{LinkSubscriptionId, PaymentLinkId};
use crate::domain::time::Timestamp;

/// So many declines in [`DECLINE_SECONDS`], and the link rests.
pub const DECLINES: usize = 10;

/// How long a decline counts.
const DECLINE_SECONDS: i64 = 3600;

/// Longer than any attempt at a link lasts: one that was begun earlier was not declined within
/// the hour.
const LOOKED_BACK_SECONDS: i64 = 2 * DECLINE_SECONDS;

/// The declined attempts at a link, as they are looked through from the newest to the oldest.
#[derive(Debug)]
pub struct Declines {
    now: Timestamp,
    counted: Vec<Timestamp>,
}

impl Declines {
    pub fn at(now: Timestamp) -> Self {
        Self { now, counted: Vec::new() }
    }

    /// Counts a decline by when it was; whether older ones may still count.
    pub fn count_at(&mut self, at: Timestamp) -> bool {
        let counts = self.now < at.plus_seconds(DECLINE_SECONDS);
        if counts {
            self.counted.push(at);
        }
        counts && self.counted.len() < DECLINES
    }

    /// Counts an attempt; whether older ones may still count.
    pub fn count(&mut self, attempt: &Payment) -> bool {
        if attempt.is_declined() && self.now < attempt.updated_at.plus_seconds(DECLINE_SECONDS) {
            self.counted.push(attempt.updated_at);
        }
        self.now < attempt.created_at.plus_seconds(LOOKED_BACK_SECONDS)
    }

    /// When the link takes cards again; `None` while it takes them.
    pub fn rests_until(mut self) -> Option<Timestamp> {
        self.counted.sort_unstable_by(|one, other| other.cmp(one));
        let last = self.counted.get(DECLINES - 1)?;
        Some(last.plus_seconds(DECLINE_SECONDS))
    }
}

impl Payment {
    fn is_declined(&self) -> bool {
        let code = self.failure.map(|failure| failure.code);
        self.status == PaymentStatus::Failed && code.is_some_and(|code| code.is_decline())
    }

    /// The seller's link at which its card was declined.
    pub fn declined_at(&self) -> Option<PaymentLinkId> {
        self.pays_for.link().filter(|_| self.is_declined())
    }

    /// The subscription at whose page its card was declined.
    pub fn declined_at_subscription(&self) -> Option<LinkSubscriptionId> {
        let (subscription, _) = self.pays_for.subscription()?;
        let by_hand = self.saved_charge.is_none();
        (by_hand && self.is_declined()).then_some(subscription)
    }
}
