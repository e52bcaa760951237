//! The end of a subscription before its time.

use super::{
    CancelledBy, LinkSubscription, LinkSubscriptionChange, LinkSubscriptionRefusal,
    LinkSubscriptionStatus,
};
use crate::domain::platform::event::EventType;
use crate::domain::time::Timestamp;

impl LinkSubscription {
    /// Cancels it at once; `None` where that was done before. Money that is on its way to it goes
    /// back, and its card is forgotten. Its buyer may cancel as [`may_be_left`](Self::may_be_left)
    /// says, its seller always.
    pub fn cancel(
        &self,
        by: CancelledBy,
        now: Timestamp,
    ) -> Result<Option<LinkSubscriptionChange>, LinkSubscriptionRefusal> {
        match self.status {
            LinkSubscriptionStatus::Cancelled => return Ok(None),
            LinkSubscriptionStatus::Completed => {
                return Err(LinkSubscriptionRefusal::Ended(self.status));
            }
            _ if by == CancelledBy::Buyer && !self.may_be_left() => {
                return Err(LinkSubscriptionRefusal::Committed);
            }
            _ => {}
        }
        let subscription = Self {
            status: LinkSubscriptionStatus::Cancelled,
            next_on: None,
            collection: None,
            card: None,
            rests_until: None,
            cancelled_at: Some(now),
            cancelled_by: Some(by),
            updated_at: now,
            ..self.clone()
        };
        let mut event = subscription.event(EventType::SubscriptionCancelled, now);
        event.payload["cancelledBy"] = by.name().into();
        Ok(Some(LinkSubscriptionChange { subscription, events: vec![event] }))
    }

    /// Whether its buyer may cancel it: in the trial, and once the terms are paid that they have
    /// bound themselves to.
    pub fn may_be_left(&self) -> bool {
        match self.status {
            LinkSubscriptionStatus::Trialing => true,
            LinkSubscriptionStatus::Active | LinkSubscriptionStatus::PastDue => {
                self.terms_paid >= self.commitment()
            }
            _ => false,
        }
    }
}
