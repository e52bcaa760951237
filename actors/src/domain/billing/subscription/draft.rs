//! A change while it is being made: the subscription in its new form, and its events.

use serde_json::{Map, Value, json};

use super::change::Change;
use super::names::SubscriptionStatus;
use super::price::PendingChange;
use super::proration::{Proration, ProrationLot, Prorations};
use super::schedule::Schedule;
use super::term::{Ends, Term};
use super::{Frequency, Subscription};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::money::AMOUNT_LIMIT;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::{Date, Timestamp};

#[derive(Default)]
pub(super) struct Note {
    pub(super) amount_minor: Option<i64>,
    pub(super) detail: Option<String>,
}

pub(super) struct Draft {
    pub(super) sub: Subscription,
    pub(super) moment: Moment,
    pub(super) prorations: Vec<Proration>,
    pub(super) recut: Prorations,
    pub(super) proration_lot: Option<ProrationLot>,
    events: Vec<NewEvent>,
    timeline: Vec<TimelineEntry>,
    /// No event is recorded at an earlier instant of the contract's clock.
    earliest: Option<Timestamp>,
}

impl Draft {
    pub(super) fn of(sub: &Subscription, moment: Moment) -> Self {
        Self {
            sub: sub.clone(),
            moment,
            prorations: Vec::new(),
            recut: Prorations::new(),
            proration_lot: None,
            events: Vec::new(),
            timeline: Vec::new(),
            earliest: None,
        }
    }

    /// A draft on a subscription that does not exist before `moment`: what belongs to days that
    /// are past happens now.
    pub(super) fn of_new(sub: Subscription, moment: Moment) -> Self {
        Self { earliest: Some(moment.engine), ..Self::of(&sub, moment) }
    }

    pub(super) fn differs_from(&self, before: &Subscription) -> bool {
        self.sub != *before || !self.events.is_empty()
    }

    /// The finished change; an empty one if nothing is different from `before`.
    pub(super) fn finish(self, before: &Subscription) -> Change {
        let written = self.differs_from(before);
        Change { written, ..self.finish_new() }
    }

    pub(super) fn finish_new(self) -> Change {
        Change {
            subscription: self.sub,
            prorations: self.prorations,
            recut: self.recut,
            proration_lot: self.proration_lot,
            events: self.events,
            timeline: self.timeline,
            written: true,
        }
    }

    pub(super) fn instant(&self, day: Date) -> Timestamp {
        self.earliest.map_or(day.start(), |earliest| earliest.max(day.start()))
    }

    pub(super) fn record(&mut self, event: LifecycleEvent, at: Timestamp, note: Note) {
        let (event, entry) = self.event_and_entry(event, at, note);
        self.events.push(event);
        self.timeline.push(entry);
    }

    pub(super) fn record_first(&mut self, event: LifecycleEvent, at: Timestamp) {
        let (event, entry) = self.event_and_entry(event, at, Note::default());
        self.events.insert(0, event);
        self.timeline.insert(0, entry);
    }

    fn event_and_entry(
        &self,
        what: LifecycleEvent,
        at: Timestamp,
        note: Note,
    ) -> (NewEvent, TimelineEntry) {
        let event = NewEvent {
            kind: what.event(),
            occurred_at: self.moment.wall,
            payload: payload(&self.sub),
        };
        let entry = TimelineEntry {
            kind: what.entry(),
            occurred_at: at,
            subscription: Some(self.sub.id),
            invoice: None,
            amount_minor: note.amount_minor,
            currency: note.amount_minor.map(|_| self.sub.currency),
            detail: note.detail,
        };
        (event, entry)
    }

    /// Sends the notice that the trial ends in a day, once.
    pub(super) fn notify_of_trial_end(&mut self, trial_end: Date) {
        self.sub.trial_notice_sent = true;
        let first = self.term_of(&Schedule::anchored(trial_end, self.sub.frequency), trial_end);
        self.events.push(NewEvent {
            kind: EventType::SubscriptionTrialWillEnd,
            occurred_at: self.moment.wall,
            payload: trial_end_payload(&self.sub, &first),
        });
    }

    /// Begins the first paid term on `anchor`, with `status`, and records it as `event`.
    pub(super) fn begin_paid(
        &mut self,
        anchor: Date,
        status: SubscriptionStatus,
        event: LifecycleEvent,
    ) {
        self.sub.schedules = vec![Schedule::anchored(anchor, self.sub.frequency)];
        self.sub.status = status;
        self.begin_term(anchor);
        self.record(event, self.instant(anchor), self.latest_term());
    }

    /// Begins the term that covers `from`, served and charged from that day on. There must be a
    /// schedule; without one nothing begins.
    pub(super) fn begin_term(&mut self, from: Date) {
        let Some(schedule) = self.sub.schedules.last() else { return };
        let term = self.term_of(schedule, from);
        self.sub.current_period_start = Some(term.start);
        self.sub.current_period_end = Some(term.end);
        self.sub.terms.push(term);
        self.sub.drop_settled_terms();
    }

    fn term_of(&self, schedule: &Schedule, from: Date) -> Term {
        let ends = Ends { served: self.sub.expires_on(), settled: self.sub.settled_cancel() };
        Term::begin(schedule.covering(from), from, ends, self.sub.price())
    }

    /// Puts a change of plan into force. A new frequency begins a schedule of its own with the
    /// term of the present one that covers the effective day.
    pub(super) fn apply_pending(&mut self, change: PendingChange, at: Timestamp) {
        self.sub.pending_change = None;
        let (before, after) = (self.sub.plan(), change.applied_to(self.sub.plan()));
        if before == after {
            return;
        }
        self.sub.price_minor = after.price.price_minor;
        self.sub.quantity = after.price.quantity;
        self.sub.tax_rate = after.price.tax_rate;
        if after.frequency != before.frequency {
            self.change_frequency(after.frequency, change.effective_date);
        }
        self.record(LifecycleEvent::PlanChanged, at, Note::default());
    }

    fn change_frequency(&mut self, frequency: Frequency, on: Date) {
        self.sub.frequency = frequency;
        let Some(present) = self.sub.schedules.last() else { return };
        let start = present.covering(on).start;
        let next = present.followed_by(start, frequency);
        if present.start == start {
            self.sub.schedules.pop();
        }
        self.sub.schedules.push(next);
    }

    pub(super) fn latest_term(&self) -> Note {
        let Some(term) = self.sub.terms.last() else { return Note::default() };
        Note {
            amount_minor: term.amount().ok(),
            detail: Some(format!("term from {} to {}", term.start, term.end)),
        }
    }
}

/// What is told of a subscription, to webhooks and on the timeline.
#[derive(Clone, Copy)]
pub(super) enum LifecycleEvent {
    Created,
    Activated,
    Renewed,
    PlanChanged,
    Paused,
    Resumed,
    Canceled,
    Expired,
    PastDue,
    Recovered,
}

impl LifecycleEvent {
    fn event(self) -> EventType {
        match self {
            Self::Created => EventType::BillingSubscriptionCreated,
            Self::Activated => EventType::BillingSubscriptionActivated,
            Self::Renewed => EventType::BillingSubscriptionRenewed,
            Self::PlanChanged => EventType::BillingSubscriptionPlanChanged,
            Self::Paused => EventType::BillingSubscriptionPaused,
            Self::Resumed => EventType::BillingSubscriptionResumed,
            Self::Canceled => EventType::BillingSubscriptionCanceled,
            Self::Expired => EventType::BillingSubscriptionExpired,
            Self::PastDue => EventType::BillingSubscriptionPastDue,
            Self::Recovered => EventType::BillingSubscriptionRecovered,
        }
    }

    fn entry(self) -> TimelineKind {
        match self {
            Self::Created => TimelineKind::SubscriptionCreated,
            Self::Activated => TimelineKind::SubscriptionActivated,
            Self::Renewed => TimelineKind::SubscriptionRenewed,
            Self::PlanChanged => TimelineKind::SubscriptionPlanChanged,
            Self::Paused => TimelineKind::SubscriptionPaused,
            Self::Resumed => TimelineKind::SubscriptionResumed,
            Self::Canceled => TimelineKind::SubscriptionCanceled,
            Self::Expired => TimelineKind::SubscriptionExpired,
            Self::PastDue => TimelineKind::SubscriptionPastDue,
            Self::Recovered => TimelineKind::SubscriptionRecovered,
        }
    }
}

fn payload(sub: &Subscription) -> Value {
    let mut fields = Map::new();
    fields.insert("subscriptionId".to_owned(), json!(sub.id));
    fields.insert("contractId".to_owned(), json!(sub.contract));
    fields.insert("sellerCustomerId".to_owned(), json!(sub.customer));
    fields.insert("status".to_owned(), json!(sub.status));
    fields.insert("priceMinor".to_owned(), json!(sub.price_minor));
    fields.insert("currency".to_owned(), json!(sub.currency));
    if let Some(start) = sub.current_period_start {
        fields.insert("currentPeriodStart".to_owned(), json!(start));
    }
    if let Some(end) = sub.current_period_end {
        fields.insert("currentPeriodEnd".to_owned(), json!(end));
    }
    Value::Object(fields)
}

fn trial_end_payload(sub: &Subscription, first: &Term) -> Value {
    json!({
        "source": "billing",
        "subscriptionId": sub.id,
        "contractId": sub.contract,
        "trialEnd": first.start,
        "amountMinor": first.amount().unwrap_or(AMOUNT_LIMIT),
        "currency": sub.currency,
    })
}
