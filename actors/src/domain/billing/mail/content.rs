//! What the words of a mail that is about no document are made of.

use super::{About, Mail, MailStatus};
use crate::domain::billing::invoice::SellerParty;
use crate::domain::money::Money;
use crate::domain::payments::link_subscription::LinkSubscription;
use crate::domain::payments::payment_link::PaymentLink;
use crate::domain::platform::person::Person;
use crate::domain::time::Timestamp;

/// What a mail says of a payment link, a subscription or an invitation, kept with the mail: they
/// and their seller change, and what a mail said does not. A document never changes.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct MailContent {
    #[n(0)]
    pub seller: SellerParty,
    /// What it is for; of an invitation the role.
    #[n(1)]
    pub title: String,
    /// What is to be paid; by an invitation nothing is.
    #[n(2)]
    pub amount: Option<Money>,
    /// When it leads nowhere any more, if it has an end.
    #[n(3)]
    pub until: Option<Timestamp>,
}

impl MailContent {
    pub fn of_link(link: &PaymentLink, seller: &SellerParty) -> Self {
        Self {
            seller: seller.clone(),
            title: link.title.clone(),
            amount: Some(link.amount),
            until: link.expires_at,
        }
    }

    pub fn of_subscription(of: &LinkSubscription, seller: &SellerParty) -> Self {
        Self {
            seller: seller.clone(),
            title: of.title.clone(),
            amount: Some(of.amount),
            until: None,
        }
    }

    pub fn of_invitation(person: &Person, seller: &SellerParty) -> Self {
        Self {
            seller: seller.clone(),
            title: person.role.name().to_owned(),
            amount: None,
            until: person.invitation.as_ref().map(|open| open.expires_at),
        }
    }

    fn of(about: &About) -> Option<Self> {
        match about {
            About::Invoice(_) => None,
            About::Link(link, seller) => Some(Self::of_link(link, seller)),
            About::Subscription(of, seller) => Some(Self::of_subscription(of, seller)),
            About::Invitation(person, seller) => Some(Self::of_invitation(person, seller)),
        }
    }
}

impl Mail {
    /// The mail as it goes out now, with what it is about as that stands by now.
    #[must_use]
    pub fn going_out(self, about: &About) -> Self {
        let Some(content) = MailContent::of(about) else { return self };
        let amount_minor = content.amount.map_or(self.amount_minor, |amount| amount.minor);
        Self { amount_minor, content: Some(content), ..self }
    }

    /// What its words are made of: `now` while it waits, else what was kept with it. Of a mail from
    /// before that was kept no more than the amount is known.
    pub fn content_or(&self, now: MailContent) -> MailContent {
        match &self.content {
            _ if self.status == MailStatus::Queued => now,
            Some(kept) => kept.clone(),
            None => {
                let amount = now.amount.map(|of| Money { minor: self.amount_minor, ..of });
                MailContent { amount, ..now }
            }
        }
    }
}
