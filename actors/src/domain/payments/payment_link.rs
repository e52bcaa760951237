//! Payment links that a seller makes: a title and an amount that whoever has the link may pay,
//! once or as often as people come.
//!
//! A link that is paid once is `paid` then; one for many counts its uses. Money for a link that
//! does not want it (it was paid by somebody else at the same moment, or was cancelled meanwhile)
//! goes back to its buyer. What was begun before a link expired is taken.

mod draft;
mod moves;
mod refusal;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};
use storage::CborRecord;

pub use draft::{NewPaymentLink, PaymentLinkPatch, link_amount, link_title};
pub use moves::Sale;
pub use refusal::PaymentLinkRefusal;

use crate::domain::email::Email;
use crate::domain::ids::{PaymentId, PaymentLinkId, PromoCodeId, SellerId};
use crate::domain::money::Money;
use crate::domain::names::names;
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::time::Timestamp;
use crate::listing::{Facet, Listed, Place};

names! {
    PaymentLinkStatus, "expected active, paid, expired or cancelled";
    0 Active = "active",
    /// Of a link for one: it was paid.
    1 Paid = "paid",
    2 Expired = "expired",
    3 Cancelled = "cancelled",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentLink {
    #[n(0)]
    pub id: PaymentLinkId,
    #[n(1)]
    pub seller: SellerId,
    /// What its token is made of; drawn at random.
    #[n(2)]
    pub drawn: String,
    #[n(3)]
    pub status: PaymentLinkStatus,
    #[n(4)]
    pub title: String,
    /// Above 0.
    #[n(5)]
    pub amount: Money,
    /// Whether one payment is all that it is for.
    #[n(6)]
    pub single_use: bool,
    /// How many payments it took.
    #[n(7)]
    pub usage_count: u64,
    #[n(8)]
    pub expires_at: Option<Timestamp>,
    /// Whom its address was mailed to.
    #[n(9)]
    pub recipient: Option<Email>,
    #[n(10)]
    pub created_at: Timestamp,
    #[n(11)]
    pub updated_at: Timestamp,
}

impl CborRecord for PaymentLink {}

/// A link as it is from now on, with what has to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct PaymentLinkChange {
    pub link: PaymentLink,
    pub events: Vec<NewEvent>,
    /// Whether its address is to be mailed to its recipient.
    pub mails: bool,
}

/// What stands behind the token of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentLinkHome {
    #[n(0)]
    pub seller: SellerId,
    #[n(1)]
    pub link: PaymentLinkId,
}

impl CborRecord for PaymentLinkHome {}

/// A payment that a link took, by its payment.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PaymentLinkUse {
    #[n(0)]
    pub amount: Money,
    #[n(1)]
    pub promo: Option<PromoCodeId>,
    #[n(2)]
    pub at: Timestamp,
}

impl CborRecord for PaymentLinkUse {}

/// A payment by a link, as its page showed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentLinkOrder {
    pub seller: SellerId,
    pub link: PaymentLinkId,
    /// What is charged, with the discount taken off; above 0.
    pub amount: Money,
    /// Whether no other payment of the link may be open.
    pub alone: bool,
    pub promo: Option<PromoCodeId>,
    /// What names one sending of the page's form with one card, if the page has said so: it makes
    /// one payment, however often a browser sends it.
    pub attempt: Option<String>,
}

impl PaymentLink {
    /// Whether a payment may begin at it.
    pub fn is_payable(&self, now: Timestamp) -> bool {
        self.status == PaymentLinkStatus::Active && !self.is_over(now)
    }

    /// How it stands at `now`: its end may be told a little later than it comes.
    pub fn status_at(&self, now: Timestamp) -> PaymentLinkStatus {
        match self.status {
            PaymentLinkStatus::Active if self.is_over(now) => PaymentLinkStatus::Expired,
            status => status,
        }
    }

    /// When its end is to be told.
    pub fn ends_at(&self) -> Option<Timestamp> {
        self.expires_at.filter(|_| self.status == PaymentLinkStatus::Active)
    }

    /// What its payments are called, each with a number of its own behind it.
    pub fn reference(&self, payment: PaymentId) -> String {
        format!("LINK-{}-{payment}", self.id)
    }

    fn is_over(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

impl PaymentLink {
    /// Its address is a secret of its buyers, and in no event.
    fn event(&self, kind: EventType, at: Timestamp) -> NewEvent {
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

impl Listed for PaymentLink {
    fn id(&self) -> u64 {
        self.id.0
    }

    fn places(&self) -> Vec<Place> {
        vec![(Facet::PaymentLinkStatus, self.status as u64)]
    }
}
