//! The room of a subscription by payment link: one for each, from its making to its end.
//!
//! [`LinkSubscriptions`] is what callers hold. The room decides on a charge and writes it down; the
//! charge is made beside it, by a payment room, and what became of it comes as a message. Each
//! charge has a number, and the payment that makes it claims that number: after a crash the same
//! charge is ordered again, and made once.

mod create;
mod mails;
mod messages;
mod room;
#[cfg(test)]
mod tests;
mod timers;

use std::collections::BTreeMap;

use crate::domain::billing::mail::Mail;
use crate::domain::ids::LinkSubscriptionId;
use crate::domain::payments::link_subscription::LinkSubscription;
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Rooms};
use crate::payment::Payments;
use crate::timers::{Due, TimerKind};

pub use room::LinkSubscriptionRoom;

/// The handle to all rooms of subscriptions by payment link. Clones are the same handle.
#[derive(Clone)]
pub struct LinkSubscriptions {
    rooms: Rooms<LinkSubscriptionRoom>,
    /// Who charges the cards that are kept.
    payments: Payments,
}

impl LinkSubscriptions {
    pub fn new(rooms: Rooms<LinkSubscriptionRoom>, payments: Payments) -> Self {
        Self { rooms, payments }
    }

    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// Deletes the row of a timer that the subscription does not want; true if that was so.
    pub async fn mend_timer(&self, kind: TimerKind, timer: Due) -> Result<bool, AskError> {
        let id = (timer.seller, LinkSubscriptionId(timer.object));
        self.rooms.mend_timer(id, kind, timer.at).await
    }
}

/// The timers that a subscription and its mail want.
pub(crate) fn timers_of(
    subscription: &LinkSubscription,
    mail: Option<&Mail>,
) -> BTreeMap<TimerKind, Timestamp> {
    let charge = subscription.due_at().map(|at| (TimerKind::LinkSubscription, at));
    let trial = subscription.trial_told_at().map(|at| (TimerKind::LinkTrial, at));
    let mail = mail.and_then(|mail| mail.next_attempt_at);
    let mail = mail.map(|at| (TimerKind::SubscriptionMail, at));
    charge.into_iter().chain(trial).chain(mail).collect()
}
