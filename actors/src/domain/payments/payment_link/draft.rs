//! Making a link, and changing one that is active.

use super::{PaymentLink, PaymentLinkChange, PaymentLinkRefusal, PaymentLinkStatus};
use crate::domain::email::Email;
use crate::domain::ids::{PaymentLinkId, SellerId};
use crate::domain::money::{Currency, Money, PRICE_LIMIT};
use crate::domain::platform::event::EventType;
use crate::domain::text;
use crate::domain::time::Timestamp;

const LONGEST_TITLE: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPaymentLink {
    pub title: String,
    pub amount: Money,
    pub single_use: bool,
    pub expires_at: Option<Timestamp>,
    pub recipient: Option<Email>,
}

/// What is to change; of what may be taken away, `Some(None)` does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaymentLinkPatch {
    pub title: Option<String>,
    pub amount_minor: Option<i64>,
    pub currency: Option<Currency>,
    pub single_use: Option<bool>,
    pub expires_at: Option<Option<Timestamp>>,
    pub recipient: Option<Option<Email>>,
}

/// An amount that a link may ask for.
pub fn link_amount(minor: i64, currency: Currency) -> Result<Money, PaymentLinkRefusal> {
    match minor {
        1..=PRICE_LIMIT => Ok(Money { minor, currency }),
        _ => Err(PaymentLinkRefusal::Amount),
    }
}

impl PaymentLink {
    /// A new link, active at once. `drawn` is what its token is made of.
    pub fn create(
        new: NewPaymentLink,
        (seller, id): (SellerId, PaymentLinkId),
        drawn: String,
        now: Timestamp,
    ) -> Result<PaymentLinkChange, PaymentLinkRefusal> {
        let link = Self {
            id,
            seller,
            drawn,
            status: PaymentLinkStatus::Active,
            title: link_title(&new.title)?,
            amount: link_amount(new.amount.minor, new.amount.currency)?,
            single_use: new.single_use,
            usage_count: 0,
            expires_at: ahead(new.expires_at, now)?,
            recipient: new.recipient,
            created_at: now,
            updated_at: now,
        };
        let events = vec![link.event(EventType::PaymentLinkCreated, now)];
        let mails = link.recipient.is_some();
        Ok(PaymentLinkChange { link, events, mails })
    }

    /// The link as `patch` has it; `None` where that is how it stands. A new recipient gets a mail.
    pub fn update(
        &self,
        patch: PaymentLinkPatch,
        now: Timestamp,
    ) -> Result<Option<PaymentLinkChange>, PaymentLinkRefusal> {
        match self.status_at(now) {
            PaymentLinkStatus::Active => {}
            ended => return Err(PaymentLinkRefusal::Ended(ended)),
        }
        let mut link = self.clone();
        if let Some(stated) = &patch.title {
            link.title = link_title(stated)?;
        }
        let minor = patch.amount_minor.unwrap_or(self.amount.minor);
        link.amount = link_amount(minor, patch.currency.unwrap_or(self.amount.currency))?;
        if let Some(single_use) = patch.single_use {
            if single_use != self.single_use && self.usage_count > 0 {
                return Err(PaymentLinkRefusal::SingleUse);
            }
            link.single_use = single_use;
        }
        if let Some(stated) = patch.expires_at
            && stated != self.expires_at
        {
            link.expires_at = ahead(stated, now)?;
        }
        if let Some(recipient) = patch.recipient {
            link.recipient = recipient;
        }
        if link == *self {
            return Ok(None);
        }
        link.updated_at = now;
        let told = (&link.title, link.amount, link.expires_at, &link.recipient)
            != (&self.title, self.amount, self.expires_at, &self.recipient);
        let events = told.then(|| link.event(EventType::PaymentLinkUpdated, now));
        let mails = link.recipient.is_some() && link.recipient != self.recipient;
        Ok(Some(PaymentLinkChange { events: events.into_iter().collect(), link, mails }))
    }
}

/// What a link may be called.
pub fn link_title(stated: &str) -> Result<String, PaymentLinkRefusal> {
    let line = text::line(stated).map_err(|_| PaymentLinkRefusal::Title)?;
    let line = line.trim();
    match line.chars().count() {
        1..=LONGEST_TITLE => Ok(line.to_owned()),
        _ => Err(PaymentLinkRefusal::Title),
    }
}

fn ahead(
    stated: Option<Timestamp>,
    now: Timestamp,
) -> Result<Option<Timestamp>, PaymentLinkRefusal> {
    match stated {
        Some(at) if at <= now => Err(PaymentLinkRefusal::ExpiresInThePast),
        stated => Ok(stated),
    }
}
