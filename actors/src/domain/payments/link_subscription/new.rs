//! Making a subscription.

use super::{
    LinkSubscription, LinkSubscriptionChange, LinkSubscriptionRefusal, LinkSubscriptionStatus,
};
use crate::domain::billing::subscription::Frequency;
use crate::domain::email::Email;
use crate::domain::ids::{LinkSubscriptionId, MailId, SellerId};
use crate::domain::money::Money;
use crate::domain::payments::payment_link::{link_amount, link_title};
use crate::domain::platform::event::EventType;
use crate::domain::time::Timestamp;

const MOST_TRIAL_DAYS: u32 = 730;
const MOST_TERMS: u32 = 1_200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLinkSubscription {
    pub title: String,
    pub amount: Money,
    pub frequency: Frequency,
    pub trial_days: Option<u32>,
    pub installments: Option<u32>,
    pub commitment_terms: Option<u32>,
    pub recipient: Option<Email>,
}

impl LinkSubscription {
    /// A new subscription that waits for its buyer. `drawn` is what its token is made of.
    pub fn create(
        new: NewLinkSubscription,
        (seller, id, mail): (SellerId, LinkSubscriptionId, MailId),
        drawn: String,
        now: Timestamp,
    ) -> Result<LinkSubscriptionChange, LinkSubscriptionRefusal> {
        let within =
            |count: Option<u32>, most: u32| count.is_none_or(|count| (1..=most).contains(&count));
        if !within(new.trial_days, MOST_TRIAL_DAYS) {
            return Err(LinkSubscriptionRefusal::TrialDays);
        }
        if !within(new.installments, MOST_TERMS) {
            return Err(LinkSubscriptionRefusal::Installments);
        }
        if !within(new.commitment_terms, new.installments.unwrap_or(MOST_TERMS)) {
            return Err(LinkSubscriptionRefusal::Commitment);
        }
        let subscription = Self {
            id,
            seller,
            drawn,
            status: LinkSubscriptionStatus::Pending,
            title: link_title(&new.title)?,
            amount: link_amount(new.amount.minor, new.amount.currency)?,
            frequency: new.frequency,
            trial_days: new.trial_days,
            installments: new.installments,
            commitment_terms: new.commitment_terms,
            mail: new.recipient.is_some().then_some(mail),
            recipient: new.recipient,
            card: None,
            started_on: None,
            trial_end: None,
            schedule: None,
            terms_paid: 0,
            terms_lost: 0,
            next_on: None,
            collection: None,
            attempts: 0,
            rests_until: None,
            trial_told: false,
            cancelled_at: None,
            cancelled_by: None,
            created_at: now,
            updated_at: now,
        };
        let events = vec![subscription.event(EventType::SubscriptionCreated, now)];
        Ok(LinkSubscriptionChange { subscription, events })
    }
}
