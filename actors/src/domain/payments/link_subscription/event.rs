//! The events of a subscription as webhooks carry them. Its address is a secret of its buyer, and
//! in none.

use serde_json::{Value, json};

use super::LinkSubscription;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

impl LinkSubscription {
    pub(super) fn event(&self, kind: EventType, at: Timestamp) -> NewEvent {
        NewEvent { kind, occurred_at: at, payload: self.fields() }
    }

    /// The event of the mail with its address that was given up.
    pub fn mail_failed(&self, mail: u64, at: Timestamp) -> NewEvent {
        let mut event = self.event(EventType::PaymentLinkEmailFailed, at);
        event.payload["mailId"] = mail.into();
        event
    }

    fn fields(&self) -> Value {
        let mut fields = json!({
            "source": "payment_links",
            "subscriptionId": self.id,
            "status": self.status.name(),
            "title": self.title,
            "amountMinor": self.amount.minor,
            "currency": self.amount.currency,
            "frequency": self.frequency.name(),
            "termsPaid": self.terms_paid,
        });
        let mut set = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                fields[name] = value;
            }
        };
        set("trialEnd", self.trial_end.map(|day| json!(day)));
        set("installments", self.installments.map(Value::from));
        set("commitmentTerms", self.commitment_terms.map(Value::from));
        set("nextChargeOn", self.next_on.map(|day| json!(day)));
        set("recipientEmail", self.recipient.as_ref().map(|to| to.as_str().into()));
        fields
    }
}
