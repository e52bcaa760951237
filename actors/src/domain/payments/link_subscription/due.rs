//! What time brings to a subscription: its trial ends, a term begins, a charge is made again.

use super::{
    LinkSubscription, LinkSubscriptionChange, LinkSubscriptionRefusal, LinkSubscriptionStatus,
};
use crate::domain::billing::collection::{Collection, Step};
use crate::domain::ids::PaymentId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::saved_card::SavedCharge;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

/// When a charge is made anew that was interrupted before anybody was charged.
const INTERRUPTED_SECONDS: i64 = 60;

impl LinkSubscription {
    /// When something is due; `None` while a charge is being made, and while it is not charged at
    /// all.
    pub fn due_at(&self) -> Option<Timestamp> {
        let day = match (self.status, &self.collection) {
            (LinkSubscriptionStatus::Trialing, _) => self.trial_end,
            (LinkSubscriptionStatus::Active, Some(open)) => open.due_on(),
            (LinkSubscriptionStatus::Active, None) => self.next_on,
            _ => None,
        };
        let at = day?.start();
        Some(self.rests_until.map_or(at, |until| until.max(at)))
    }

    /// Does what is due: the charge that is to be made, if one is, has a number that no other has.
    /// A charge that was ordered before and is not known to have begun is ordered again. A card that
    /// was kept in demo mode is none once the account, which is in `mode`, is live: the term fails
    /// for want of one.
    pub fn fall_due(
        &self,
        mode: Mode,
        now: Timestamp,
    ) -> Result<(LinkSubscriptionChange, Option<SavedCharge>), LinkSubscriptionRefusal> {
        self.due_at().filter(|at| *at <= now).ok_or(LinkSubscriptionRefusal::NotDue)?;
        let today = now.date();
        let mut after = Self { rests_until: None, updated_at: now, ..self.clone() };
        let mut told = Vec::new();
        if self.status == LinkSubscriptionStatus::Trialing {
            after.status = LinkSubscriptionStatus::Active;
            told.push(EventType::SubscriptionTrialEnded);
        }
        let fresh = || Collection { attempts: self.attempts, ..Collection::from(today) };
        let open = after.collection.take().unwrap_or_else(fresh);
        let card = self.card.as_ref().filter(|card| card.is_of(mode)).map(|card| card.id);
        let (open, charge) = match open.step(card, today) {
            Step::Charge(charge) => {
                after.attempts = charge.attempt;
                (open.begun(charge), Some(charge))
            }
            Step::Wait(day) => (Collection { next_on: Some(day), ..open }, None),
            Step::GiveUp | Step::NoCard => (open.given_up(), None),
        };
        after.collection = Some(open);
        let mut events: Vec<_> = told.into_iter().map(|kind| after.event(kind, now)).collect();
        events.extend(after.fall_past_due(now));
        Ok((LinkSubscriptionChange { subscription: after, events }, charge))
    }

    /// Lets what is due be until later.
    pub fn put_off(&self, until: Timestamp) -> LinkSubscriptionChange {
        let subscription = Self { rests_until: Some(until), ..self.clone() };
        LinkSubscriptionChange { subscription, events: Vec::new() }
    }

    /// Takes note of the payment that makes a charge; `None` where its outcome is known already.
    pub fn charge_begun(
        &self,
        charge: SavedCharge,
        payment: PaymentId,
    ) -> Option<LinkSubscriptionChange> {
        let open = self.collection.as_ref().filter(|open| open.under_way == Some(charge))?;
        let open = Collection { payment: Some(payment), ..open.clone() };
        let subscription = Self { collection: Some(open), ..self.clone() };
        (subscription != *self).then(|| LinkSubscriptionChange { subscription, events: Vec::new() })
    }

    /// Takes note of a charge that has failed; `None` where that is known, or of no matter any
    /// more.
    pub fn charge_failed(
        &self,
        charge: SavedCharge,
        failure: Option<FailureCode>,
        now: Timestamp,
    ) -> Option<LinkSubscriptionChange> {
        let open = self.collection.as_ref().filter(|open| open.under_way == Some(charge))?;
        let open = open.clone().failed(charge.card, failure, now.date());
        let mut after = Self { updated_at: now, ..self.clone() };
        if open.was_interrupted() {
            after.rests_until = Some(now.plus_seconds(INTERRUPTED_SECONDS));
        }
        after.collection = Some(open);
        let events = after.fall_past_due(now).into_iter().collect();
        Some(LinkSubscriptionChange { subscription: after, events })
    }

    /// When it is to be told that the trial ends; `None` once it was.
    pub fn trial_told_at(&self) -> Option<Timestamp> {
        let trialing = self.status == LinkSubscriptionStatus::Trialing && !self.trial_told;
        self.trial_end.filter(|_| trialing).map(|day| day.plus_days(-1).start())
    }

    /// Tells that the trial ends in a day.
    pub fn tell_trial_end(
        &self,
        now: Timestamp,
    ) -> Result<LinkSubscriptionChange, LinkSubscriptionRefusal> {
        self.trial_told_at().filter(|at| *at <= now).ok_or(LinkSubscriptionRefusal::NotDue)?;
        let subscription = Self { trial_told: true, ..self.clone() };
        let events = vec![subscription.event(EventType::SubscriptionTrialWillEnd, now)];
        Ok(LinkSubscriptionChange { subscription, events })
    }

    /// Makes it past due where the charges for its term have come to an end in vain.
    fn fall_past_due(&mut self, now: Timestamp) -> Option<NewEvent> {
        let open = self.collection.as_ref().filter(|open| open.gave_up)?;
        let failure = open.last_failure;
        self.status = LinkSubscriptionStatus::PastDue;
        Some(self.past_due_event(failure, now))
    }

    pub(super) fn past_due_event(&self, failure: Option<FailureCode>, now: Timestamp) -> NewEvent {
        let mut event = self.event(EventType::SubscriptionPastDue, now);
        event.payload["failureCode"] = failure.map_or(0, FailureCode::code).into();
        event
    }
}
