//! The events of a subscription, for webhooks and for the timeline.

use serde_json::{Map, Value, json};

use super::Subscription;
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::platform::event::EventType;
use crate::domain::time::Date;

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
    pub(super) fn event(self) -> EventType {
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

    pub(super) fn entry(self) -> TimelineKind {
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

pub(super) fn payload(sub: &Subscription) -> Value {
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

pub(super) fn trial_end_payload(sub: &Subscription, trial_end: Date) -> Value {
    json!({
        "source": "billing",
        "subscriptionId": sub.id,
        "contractId": sub.contract,
        "trialEnd": trial_end,
        "amountMinor": sub.price().whole(),
        "currency": sub.currency,
    })
}
