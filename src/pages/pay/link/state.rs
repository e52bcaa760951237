//! How a payment link stands, as its page has to know it.

use actors::domain::ids::PromoCodeId;
use actors::domain::money::Money;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::payment::Payment;
use actors::domain::payments::payment_link::{PaymentLink, PaymentLinkStatus};
use actors::domain::payments::promo_code::{PromoCode, PromoRefusal};
use actors::domain::time::Timestamp;
use actors::link_tokens::LinkHash;
use actors::query;
use storage::ReadError;

use crate::pages::bill::SellerView;
use crate::pages::context::PageContext;
use crate::pages::language::Words;
use crate::pages::outcome::{Outcome, Receipt};

pub(super) struct Offer {
    pub(super) t: &'static Words,
    pub(super) link: PaymentLink,
    pub(super) seller: SellerView,
    pub(super) demo: bool,
    pub(super) standing: Standing,
    pub(super) promo: Option<Promo>,
    pub(super) failure: Option<FailureCode>,
    token: String,
}

/// A promo code that the buyer typed, and what it takes off.
pub(super) struct Promo {
    pub(super) typed: String,
    found: Result<(PromoCodeId, Money), PromoRefusal>,
}

/// What can be done about the link.
pub(super) enum Standing {
    /// A card is taken; `waiting` is the payment of a link for one that its buyer has yet to
    /// confirm.
    Payable {
        waiting: Option<Box<Payment>>,
    },
    /// A payment of this amount, which a promo code may have made less than the link's.
    UnderWay(Money),
    /// Too many cards were declined; `waiting` as in [`Standing::Payable`].
    Resting {
        until: Timestamp,
        waiting: Option<Box<Payment>>,
    },
    Paid(Option<Box<Payment>>),
    Expired,
    Cancelled,
    /// The seller's account is not open.
    Shut,
}

impl Standing {
    fn of(status: PaymentLinkStatus, open: Option<Payment>) -> Self {
        let open = open.map(Box::new);
        match (status, open) {
            (PaymentLinkStatus::Cancelled, _) => Self::Cancelled,
            (PaymentLinkStatus::Paid, open) => Self::Paid(open),
            // The message that marks the link paid is still on its way.
            (_, Some(paid)) if !paid.status.is_open() => Self::Paid(Some(paid)),
            (PaymentLinkStatus::Expired, _) => Self::Expired,
            (PaymentLinkStatus::Active, None) => Self::Payable { waiting: None },
            (PaymentLinkStatus::Active, Some(open)) if open.requires_action() => {
                Self::Payable { waiting: Some(open) }
            }
            (PaymentLinkStatus::Active, Some(open)) => Self::UnderWay(open.amount),
        }
    }
}

impl Offer {
    /// Reads what stands behind a token, with the promo code that was typed; `attempt` is the
    /// reference of a payment whose failure is to be told.
    pub(super) fn read(
        cx: &PageContext,
        t: &'static Words,
        (token, typed): (String, String),
        attempt: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<Self>, ReadError> {
        let (store, payments) = (&cx.app.store, &cx.app.payments);
        let Some(link) = query::payment_link_of(store, LinkHash::of(&token))? else {
            return Ok(None);
        };
        let (of, id) = (link.seller, link.id);
        let open = match link.single_use {
            true => payments.open_of_link(of, id)?,
            false => None,
        };
        let standing = match Standing::of(link.status_at(now), open) {
            _ if cx.is_closed(of, now)? => Standing::Shut,
            Standing::Payable { waiting } => match payments.own_link_rests_until(of, id, now)? {
                Some(until) => Standing::Resting { until, waiting },
                None => Standing::Payable { waiting },
            },
            standing => standing,
        };
        let attempt = match attempt {
            Some(reference) => payments.by_reference(of, reference)?,
            None => None,
        };
        let attempt = attempt.filter(|payment| payment.pays_for.link() == Some(id));
        let typed = typed.trim();
        let promo = match typed {
            "" => None,
            typed => {
                let found = query::promo_code_named(store, of, typed)?;
                Some(Promo::of(typed, found.as_ref(), &link, now))
            }
        };
        let (seller, demo) = cx.seller(t, of)?;
        Ok(Some(Self {
            t,
            link,
            seller,
            demo,
            standing,
            promo,
            failure: attempt.and_then(|payment| payment.failure).map(|failure| failure.code),
            token,
        }))
    }

    pub(super) fn path(&self) -> String {
        format!("/pay/{}", self.token)
    }

    pub(super) fn money(&self, minor: i64) -> Money {
        Money { minor, ..self.link.amount }
    }

    pub(super) fn discount(&self) -> Money {
        let found = self.promo.as_ref().and_then(|promo| promo.found.ok());
        found.map_or(self.money(0), |(_, discount)| discount)
    }

    /// What is charged.
    pub(super) fn price(&self) -> Money {
        self.money(self.link.amount.minor - self.discount().minor)
    }

    pub(super) fn promo_id(&self) -> Option<PromoCodeId> {
        self.promo.as_ref().and_then(|promo| promo.found.ok()).map(|(id, _)| id)
    }

    pub(super) fn promo_refusal(&self) -> Option<PromoRefusal> {
        self.promo.as_ref().and_then(|promo| promo.found.err())
    }

    /// The last redemption is reserved by somebody else.
    pub(super) fn promo_is_used_up(&mut self) {
        if let Some(promo) = &mut self.promo {
            promo.found = Err(PromoRefusal::UsedUp);
        }
    }

    /// The same in words for the buyer.
    pub(super) fn promo_problem(&self) -> Option<&'static str> {
        Some(match self.promo_refusal()? {
            PromoRefusal::Expired | PromoRefusal::UsedUp => self.t.promo_over,
            _ => self.t.promo_wrong,
        })
    }

    /// Why nothing can be paid now.
    pub(super) fn words(&self) -> &'static str {
        match self.standing {
            Standing::Payable { .. } => "the payment link can be paid",
            Standing::UnderWay(_) => "another payment is in progress",
            Standing::Resting { .. } => "too many cards were declined, try again later",
            Standing::Shut => "the page is closed",
            Standing::Paid(_) => "the payment link is paid",
            Standing::Expired => "the payment link is expired",
            Standing::Cancelled => "the payment link is cancelled",
        }
    }

    /// The page that stands in place of the card form; `None` while a card is taken.
    pub(super) fn outcome(&self, cx: &PageContext, now: Timestamp) -> Option<Outcome> {
        let outcome = match &self.standing {
            Standing::Payable { .. } => return None,
            Standing::Shut => Outcome::page_closed(self.t),
            Standing::Resting { until, waiting } => {
                let action = waiting.as_deref().and_then(|payment| cx.action(payment, now));
                Outcome::resting(self.t, *until, action)
            }
            Standing::UnderWay(amount) => Outcome::under_way(self.t, *amount),
            Standing::Expired | Standing::Cancelled => {
                Outcome::link_closed(self.t, &self.link.title)
            }
            Standing::Paid(payment) => self.paid(payment.as_deref()),
        };
        Some(outcome.of(self.seller.clone(), self.demo))
    }

    fn paid(&self, payment: Option<&Payment>) -> Outcome {
        if let Some(payment) = payment {
            return Outcome::came(self.t, payment, None);
        }
        let receipt = Receipt { paid_on: Some(self.link.updated_at), ..Receipt::default() };
        Outcome::paid(self.t, self.link.amount, receipt)
    }
}

impl Promo {
    /// Whether a redemption is left is known when the payment begins; one that is used up for good
    /// is told before.
    fn of(typed: &str, found: Option<&PromoCode>, link: &PaymentLink, now: Timestamp) -> Self {
        let found = found.ok_or(PromoRefusal::NotHere).and_then(|code| {
            let discount = code.discount(link.id, link.amount, now)?;
            match code.most.is_some_and(|most| code.redeemed >= most) {
                true => Err(PromoRefusal::UsedUp),
                false => Ok((code.id, discount)),
            }
        });
        // What could not be a code is not said again.
        let typed = typed.chars().filter(char::is_ascii_graphic).take(40).collect();
        Self { typed, found }
    }
}

#[cfg(test)]
mod tests;
