//! Money comes to a subscription, or is taken back from it.

use super::{
    LinkSubscription, LinkSubscriptionChange, LinkSubscriptionRefusal, LinkSubscriptionStatus,
};
use crate::domain::billing::subscription::Schedule;
use crate::domain::money::Money;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::saved_card::SavedCard;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::{Date, Timestamp};

/// Stands for the term of a payment that only verifies the card.
pub const VERIFICATION: u32 = 0;

/// A payment that has succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paid<'a> {
    pub reference: &'a str,
    /// Which term it pays, from 1, or [`VERIFICATION`].
    pub term: u32,
    pub amount: Money,
    /// The card that its buyer let be kept; none where a kept one was charged.
    pub card: Option<&'a SavedCard>,
}

impl LinkSubscription {
    /// Counts a payment; refused where the subscription does not want its money, which then goes
    /// back. While it was past due no term has begun: the next one is the first that begins after
    /// the payment. Nor has one while nobody could be charged: whoever is charged then pays the
    /// term of that day. With the last instalment its card is forgotten.
    pub fn pay(
        &self,
        paid: &Paid<'_>,
        now: Timestamp,
    ) -> Result<LinkSubscriptionChange, LinkSubscriptionRefusal> {
        if self.has_ended() {
            return Err(LinkSubscriptionRefusal::Ended(self.status));
        }
        let mut after = Self { updated_at: now, ..self.clone() };
        if let Some(card) = paid.card {
            after.card = Some(card.clone());
        }
        if paid.term == VERIFICATION {
            return match self.status {
                LinkSubscriptionStatus::Pending => Ok(after.begin_trial(now)),
                _ => Err(LinkSubscriptionRefusal::TermPaid),
            };
        }
        if paid.term != self.terms_paid + 1 {
            return Err(LinkSubscriptionRefusal::TermPaid);
        }
        after.started_on = self.started_on.or(Some(now.date()));
        let anchored = Schedule::anchored(now.date(), self.frequency);
        let schedule = *after.schedule.get_or_insert(anchored);
        let was_overdue = self.status == LinkSubscriptionStatus::PastDue;
        let from = match self.next_on.filter(|_| !was_overdue) {
            Some(next_on) => next_on.max(schedule.covering(self.first_tried_on(now.date())).start),
            None => now.date(),
        };
        after.next_on = Some(schedule.boundary_from(from.plus_days(1)));
        after.status = LinkSubscriptionStatus::Active;
        after.collection = None;
        after.rests_until = None;
        after.terms_paid = paid.term;
        let completed = self.installments == Some(paid.term);
        if completed {
            after.status = LinkSubscriptionStatus::Completed;
            after.next_on = None;
            after.card = None;
        }
        let mut charged = after.charged(paid, now);
        if was_overdue {
            charged.payload["recovered"] = true.into();
        }
        let mut events = vec![charged];
        if completed || self.commitment_terms == Some(paid.term) {
            events.push(after.event(EventType::SubscriptionCommitmentCompleted, now));
        }
        Ok(LinkSubscriptionChange { subscription: after, events })
    }

    /// Takes the payment of a term back that failed at settlement: the term is owed again, and the
    /// subscription past due for it. Of an earlier term than the last paid one it is only noted.
    pub fn take_back(&self, term: u32, now: Timestamp) -> LinkSubscriptionChange {
        let mut after = Self { updated_at: now, ..self.clone() };
        if term != self.terms_paid {
            after.terms_lost += 1;
            return LinkSubscriptionChange { subscription: after, events: Vec::new() };
        }
        after.terms_paid -= 1;
        if self.status == LinkSubscriptionStatus::Cancelled {
            return LinkSubscriptionChange { subscription: after, events: Vec::new() };
        }
        after.status = LinkSubscriptionStatus::PastDue;
        after.collection = None;
        after.rests_until = None;
        after.next_on = Some(now.date());
        let events = vec![after.past_due_event(Some(FailureCode::SettlementFailed), now)];
        LinkSubscriptionChange { subscription: after, events }
    }

    /// The day on which the term that is to be paid was to be charged first.
    fn first_tried_on(&self, today: Date) -> Date {
        let open = self.collection.as_ref();
        open.and_then(|open| open.first_failed_on.or(open.next_on)).unwrap_or(today)
    }

    fn begin_trial(mut self, now: Timestamp) -> LinkSubscriptionChange {
        let today = now.date();
        let end: Date = today.plus_days(i64::from(self.trial_days.unwrap_or(0)));
        self.status = LinkSubscriptionStatus::Trialing;
        self.started_on = Some(today);
        self.trial_end = Some(end);
        self.schedule = Some(Schedule::anchored(end, self.frequency));
        self.next_on = Some(end);
        match self.tell_trial_end(now) {
            Ok(told) => told,
            Err(_) => LinkSubscriptionChange { subscription: self, events: Vec::new() },
        }
    }

    fn charged(&self, paid: &Paid<'_>, now: Timestamp) -> NewEvent {
        let kind = match self.installments {
            Some(_) => EventType::SubscriptionInstallmentCharged,
            None => EventType::SubscriptionCharged,
        };
        let mut event = self.event(kind, now);
        event.payload["paymentId"] = paid.reference.into();
        event.payload["term"] = paid.term.into();
        if self.installments.is_some() {
            event.payload["installment"] = paid.term.into();
        }
        event
    }
}
