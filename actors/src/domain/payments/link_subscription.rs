//! Subscriptions by payment link: the seller states the terms, one buyer signs them at the link's
//! page with a card that is kept, and the card is charged on the first day of each term.
//!
//! Without a trial the first term is paid at the page. With one the card is verified there, and
//! charged for the first time when the trial ends. A charge that fails is made again by the rules
//! of [`Collection`]; after the last one the subscription is past due, and is charged no more until
//! its buyer has paid at the page. Days are those of UTC.

mod cancel;
mod due;
mod event;
mod new;
mod paid;
mod refusal;
#[cfg(test)]
mod tests;

use storage::CborRecord;

pub use new::NewLinkSubscription;
pub use paid::{Paid, VERIFICATION};
pub use refusal::LinkSubscriptionRefusal;

use super::saved_card::SavedCard;
use crate::domain::billing::collection::Collection;
use crate::domain::billing::subscription::{Frequency, Schedule};
use crate::domain::email::Email;
use crate::domain::ids::{LinkSubscriptionId, MailId, PaymentId, SellerId};
use crate::domain::money::Money;
use crate::domain::names::names;
use crate::domain::platform::event::NewEvent;
use crate::domain::time::{Date, Timestamp};
use crate::listing::{Facet, Listed, Place};

names! {
    LinkSubscriptionStatus, "expected pending, trialing, active, past_due, cancelled or completed";
    /// It waits for its buyer.
    0 Pending = "pending",
    1 Trialing = "trialing",
    2 Active = "active",
    /// The last permitted charge of a term has failed.
    3 PastDue = "past_due",
    4 Cancelled = "cancelled",
    /// All its instalments are paid.
    5 Completed = "completed",
}

names! {
    /// Who cancelled a subscription.
    CancelledBy;
    0 Seller = "seller",
    1 Buyer = "buyer",
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct LinkSubscription {
    #[n(0)]
    pub id: LinkSubscriptionId,
    #[n(1)]
    pub seller: SellerId,
    /// What its token is made of; drawn at random.
    #[n(2)]
    pub drawn: String,
    #[n(3)]
    pub status: LinkSubscriptionStatus,
    #[n(4)]
    pub title: String,
    /// Of one term; above 0.
    #[n(5)]
    pub amount: Money,
    #[n(6)]
    pub frequency: Frequency,
    #[n(7)]
    pub trial_days: Option<u32>,
    /// After so many paid terms it is completed.
    #[n(8)]
    pub installments: Option<u32>,
    /// Before so many paid terms its buyer may not cancel.
    #[n(9)]
    pub commitment_terms: Option<u32>,
    /// Whom its address was mailed to.
    #[n(10)]
    pub recipient: Option<Email>,
    /// The card that is charged, by its buyer's consent.
    #[n(11)]
    pub card: Option<SavedCard>,
    /// The day on which it was signed.
    #[n(12)]
    pub started_on: Option<Date>,
    /// The first day after the trial.
    #[n(13)]
    pub trial_end: Option<Date>,
    /// Of its paid terms.
    #[n(14)]
    pub schedule: Option<Schedule>,
    #[n(15)]
    pub terms_paid: u32,
    /// Terms whose payment failed at settlement after a later one had been paid.
    #[n(16)]
    pub terms_lost: u32,
    /// The first day of the next term to be paid; none before it is signed and after its end.
    #[n(17)]
    pub next_on: Option<Date>,
    /// How far the charges for a term that is due have come.
    #[n(18)]
    pub collection: Option<Collection>,
    /// How many charges of the card were ever ordered; each has a number of its own.
    #[n(19)]
    pub attempts: u32,
    /// What is due is let be until then.
    #[n(20)]
    pub rests_until: Option<Timestamp>,
    /// Whether it was told that the trial ends.
    #[n(21)]
    pub trial_told: bool,
    #[n(22)]
    pub cancelled_at: Option<Timestamp>,
    #[n(23)]
    pub cancelled_by: Option<CancelledBy>,
    #[n(24)]
    pub created_at: Timestamp,
    #[n(25)]
    pub updated_at: Timestamp,
    /// The mail with its address, if it has a recipient.
    #[n(26)]
    pub mail: Option<MailId>,
}

impl CborRecord for LinkSubscription {}

/// A subscription as it is from now on, with what has to be told.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSubscriptionChange {
    pub subscription: LinkSubscription,
    pub events: Vec<NewEvent>,
}

/// What stands behind the token of a subscription's page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct LinkSubscriptionHome {
    #[n(0)]
    pub seller: SellerId,
    #[n(1)]
    pub subscription: LinkSubscriptionId,
}

impl CborRecord for LinkSubscriptionHome {}

/// The payment of a term.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct LinkCharge {
    #[n(0)]
    pub payment: PaymentId,
    /// The payment's reference.
    #[n(1)]
    pub reference: String,
    #[n(2)]
    pub amount: Money,
    #[n(3)]
    pub at: Timestamp,
}

impl CborRecord for LinkCharge {}

/// What a page takes a card for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Which term is paid, from 1; [`VERIFICATION`] where the card is only verified.
    pub term: u32,
    /// 0 where the card is only verified.
    pub amount: Money,
}

impl LinkSubscription {
    /// What its page takes a card for; `None` while it needs none.
    pub fn asks(&self) -> Option<Asked> {
        let term = self.terms_paid + 1;
        match self.status {
            LinkSubscriptionStatus::Pending if self.trial_days.is_some() => {
                Some(Asked { term: VERIFICATION, amount: Money { minor: 0, ..self.amount } })
            }
            LinkSubscriptionStatus::Pending | LinkSubscriptionStatus::PastDue => {
                Some(Asked { term, amount: self.amount })
            }
            LinkSubscriptionStatus::Active if self.waits_for_another_card() => {
                Some(Asked { term, amount: self.amount })
            }
            _ => None,
        }
    }

    /// Whether the card was refused in a way that another one may mend.
    pub fn waits_for_another_card(&self) -> bool {
        let waits = |open: &Collection| open.waits_for_another() && open.under_way.is_none();
        self.collection.as_ref().is_some_and(waits)
    }

    /// Whether nothing more will be charged.
    pub fn has_ended(&self) -> bool {
        matches!(self.status, LinkSubscriptionStatus::Cancelled | LinkSubscriptionStatus::Completed)
    }

    /// How many terms its buyer has bound themselves to pay.
    pub fn commitment(&self) -> u32 {
        self.commitment_terms.or(self.installments).unwrap_or(0)
    }

    /// What its payments are called, each with a number of its own behind it.
    pub fn reference(&self, payment: PaymentId) -> String {
        format!("SUB-{}-{payment}", self.id)
    }
}

impl Listed for LinkSubscription {
    fn id(&self) -> u64 {
        self.id.0
    }

    fn places(&self) -> Vec<Place> {
        vec![(Facet::LinkSubscriptionStatus, self.status as u64)]
    }
}
