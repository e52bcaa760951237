//! The events of a link as webhooks carry them. Its address is a secret of its buyers, and in none.

use serde_json::{Value, json};

use super::PaymentLink;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;

impl PaymentLink {
    pub(super) fn event(&self, kind: EventType, at: Timestamp) -> NewEvent {
        NewEvent { kind, occurred_at: at, payload: self.fields() }
    }

    /// The event of a mail with its address that was given up.
    pub fn mail_failed(&self, mail: u64, at: Timestamp) -> NewEvent {
        let mut event = self.event(EventType::PaymentLinkEmailFailed, at);
        event.payload["mailId"] = mail.into();
        event
    }

    fn fields(&self) -> Value {
        let mut fields = json!({
            "paymentLinkId": self.id,
            "status": self.status.name(),
            "title": self.title,
            "amountMinor": self.amount.minor,
            "currency": self.amount.currency,
            "singleUse": self.single_use,
            "usageCount": self.usage_count,
        });
        if let Some(at) = self.expires_at {
            fields["expiresAt"] = json!(at);
        }
        if let Some(to) = &self.recipient {
            fields["recipientEmail"] = to.as_str().into();
        }
        fields
    }
}
