//! What becomes of a link: it is paid, its money is taken back, it expires, it is cancelled.

use super::{PaymentLink, PaymentLinkChange, PaymentLinkRefusal, PaymentLinkStatus};
use crate::domain::money::Money;
use crate::domain::platform::event::EventType;
use crate::domain::time::Timestamp;

/// A payment that came to a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sale<'a> {
    /// The payment's reference.
    pub reference: &'a str,
    pub amount: Money,
    /// The promo code that was used.
    pub promo: Option<&'a str>,
}

impl PaymentLink {
    /// Counts a payment; refused where the link does not want its money, which then goes back.
    /// One that had been begun before the link expired is counted.
    pub fn count(
        &self,
        sale: Sale<'_>,
        now: Timestamp,
    ) -> Result<PaymentLinkChange, PaymentLinkRefusal> {
        match self.status {
            PaymentLinkStatus::Active | PaymentLinkStatus::Expired => {}
            ended => return Err(PaymentLinkRefusal::Ended(ended)),
        }
        let status = if self.single_use { PaymentLinkStatus::Paid } else { self.status };
        let usage_count = self.usage_count + 1;
        let link = Self { status, usage_count, updated_at: now, ..self.clone() };
        let mut event = link.event(EventType::PaymentLinkPaid, now);
        event.payload["amountMinor"] = sale.amount.minor.into();
        event.payload["currency"] = sale.amount.currency.code().into();
        event.payload["paymentId"] = sale.reference.into();
        if let Some(code) = sale.promo {
            event.payload["promoCode"] = code.into();
        }
        Ok(PaymentLinkChange { link, events: vec![event], mails: false })
    }

    /// Takes a payment back that was counted and failed at settlement: a link for one may be paid
    /// again, unless it is over by now.
    pub fn take_back(&self, now: Timestamp) -> PaymentLinkChange {
        let mut link = self.clone();
        link.usage_count = self.usage_count.saturating_sub(1);
        link.updated_at = now;
        if link.status == PaymentLinkStatus::Paid {
            link.status = PaymentLinkStatus::Active;
            link.status = link.status_at(now);
        }
        PaymentLinkChange { link, events: Vec::new(), mails: false }
    }

    /// Ends a link whose time is over; `None` while it is not.
    pub fn expire(&self, now: Timestamp) -> Option<PaymentLinkChange> {
        self.ends_at().filter(|at| *at <= now)?;
        Some(self.end(PaymentLinkStatus::Expired, EventType::PaymentLinkExpired, now))
    }

    /// Cancels a link; `None` where that was done before.
    pub fn cancel(&self, now: Timestamp) -> Result<Option<PaymentLinkChange>, PaymentLinkRefusal> {
        match self.status_at(now) {
            PaymentLinkStatus::Active => {
                let (to, kind) = (PaymentLinkStatus::Cancelled, EventType::PaymentLinkCancelled);
                Ok(Some(self.end(to, kind, now)))
            }
            PaymentLinkStatus::Cancelled => Ok(None),
            ended => Err(PaymentLinkRefusal::Ended(ended)),
        }
    }

    fn end(&self, status: PaymentLinkStatus, kind: EventType, now: Timestamp) -> PaymentLinkChange {
        let link = Self { status, updated_at: now, ..self.clone() };
        let events = vec![link.event(kind, now)];
        PaymentLinkChange { link, events, mails: false }
    }
}
