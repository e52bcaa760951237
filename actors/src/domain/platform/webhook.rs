//! Webhook registrations: which URL hears of which events, and the rules of changing that.

pub mod allowlist;
pub mod filter;
mod registration;
pub mod secret;
pub mod signature;
pub mod url;

use minicbor::{Decode, Encode};

use self::filter::EventFilter;
use self::url::WebhookUrl;
use super::event::EventType;
use crate::domain::ids::{SellerId, WebhookId};
use crate::domain::names::names;
use crate::domain::time::Timestamp;
use crate::secrets::Sealed;

pub use self::registration::{
    Fresh, MAX_SANDBOX_WEBHOOKS, MAX_WEBHOOKS, Patch, Registered, Registration, UrlRules,
    WebhookRefusal, patch, register,
};

#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Webhook {
    #[n(0)]
    pub id: WebhookId,
    #[n(1)]
    pub seller: SellerId,
    /// Where deliveries go; no two webhooks of a seller have the same.
    #[n(2)]
    pub url: WebhookUrl,
    #[n(3)]
    pub status: WebhookStatus,
    #[n(4)]
    pub event_types: EventFilter,
    #[n(5)]
    pub secret: Sealed,
    #[n(6)]
    pub created_at: Timestamp,
    #[n(7)]
    pub updated_at: Timestamp,
    /// Whether what is told of one object goes out in order.
    #[n(8)]
    pub ordered: bool,
}

names! {
    WebhookStatus;
    0 Active = "active",
    1 Disabled = "disabled",
}

impl Webhook {
    pub fn subscribes_to(&self, kind: EventType) -> bool {
        self.status == WebhookStatus::Active && self.event_types.matches(kind)
    }

    /// The webhook with a new secret; the old one stops verifying.
    pub fn with_secret(self, secret: Sealed, now: Timestamp) -> Self {
        Self { secret, updated_at: now, ..self }
    }
}

impl storage::CborRecord for Webhook {}

#[cfg(test)]
mod tests;
