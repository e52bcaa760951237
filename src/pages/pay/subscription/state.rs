//! How a subscription stands, as its page has to know it.

use actors::domain::money::Money;
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::link_subscription::{Asked, LinkSubscription};
use actors::domain::payments::payment::Payment;
use actors::domain::time::Timestamp;
use actors::link_tokens::LinkHash;
use actors::query;
use storage::ReadError;

use crate::pages::bill::SellerView;
use crate::pages::context::PageContext;
use crate::pages::language::Words;
use crate::pages::outcome::Outcome;

pub(super) struct Signed {
    pub(super) t: &'static Words,
    pub(super) subscription: LinkSubscription,
    pub(super) seller: SellerView,
    pub(super) demo: bool,
    pub(super) standing: Standing,
    /// Why the attempt failed that the address names.
    pub(super) failure: Option<FailureCode>,
    token: String,
}

/// What can be done about it.
pub(super) enum Standing {
    /// A card is taken; `waiting` is the payment that its buyer has yet to confirm.
    Asks {
        asked: Asked,
        waiting: Option<Box<Payment>>,
    },
    /// A payment of this amount; of none while the card is verified for free days.
    UnderWay(Money),
    /// Too many cards were declined; `waiting` as in [`Standing::Asks`].
    Resting {
        until: Timestamp,
        waiting: Option<Box<Payment>>,
    },
    /// It goes on by itself.
    Runs,
    Ended,
    /// The seller's account is not open.
    Shut,
}

impl Signed {
    /// Reads what stands behind a token; `attempt` is the reference of a payment whose failure is
    /// to be told.
    pub(super) fn read(
        cx: &PageContext,
        t: &'static Words,
        token: String,
        attempt: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<Self>, ReadError> {
        let (store, payments) = (&cx.app.store, &cx.app.payments);
        let Some(of) = query::link_subscription_of(store, LinkHash::of(&token))? else {
            return Ok(None);
        };
        let standing =
            if cx.is_closed(of.seller, now)? { Standing::Shut } else { standing(cx, &of, now)? };
        let attempt = match attempt {
            Some(reference) => payments.by_reference(of.seller, reference)?,
            None => None,
        };
        let own =
            |payment: &Payment| payment.pays_for.subscription().is_some_and(|it| it.0 == of.id);
        let failure = attempt.filter(own).and_then(|payment| payment.failure);
        let (seller, demo) = cx.seller(t, of.seller)?;
        let failure = failure.map(|failure| failure.code);
        Ok(Some(Self { t, subscription: of, seller, demo, standing, failure, token }))
    }

    pub(super) fn path(&self) -> String {
        format!("/pay/{}", self.token)
    }

    /// Why no card is taken now.
    pub(super) fn words(&self) -> &'static str {
        match self.standing {
            Standing::Asks { .. } => "the subscription asks for a card",
            Standing::UnderWay(_) => "another payment is in progress",
            Standing::Resting { .. } => "too many cards were declined, try again later",
            Standing::Runs => "the subscription does not ask for a card",
            Standing::Ended => "the subscription has ended",
            Standing::Shut => "the page is closed",
        }
    }

    /// The page that stands in place of the card form and of how the subscription runs.
    pub(super) fn outcome(&self, cx: &PageContext, now: Timestamp) -> Option<Outcome> {
        let outcome = match &self.standing {
            Standing::Asks { .. } | Standing::Runs => return None,
            Standing::Shut => Outcome::page_closed(self.t),
            Standing::Resting { until, waiting } => {
                let action = waiting.as_deref().and_then(|payment| cx.action(payment, now));
                Outcome::resting(self.t, *until, action)
            }
            Standing::UnderWay(amount) => Outcome::under_way(self.t, *amount),
            Standing::Ended => Outcome::subscription_ended(self.t, &self.subscription.title),
        };
        Some(outcome.of(self.seller.clone(), self.demo))
    }
}

fn standing(
    cx: &PageContext,
    of: &LinkSubscription,
    now: Timestamp,
) -> Result<Standing, ReadError> {
    if of.has_ended() {
        return Ok(Standing::Ended);
    }
    let Some(asked) = of.asks() else { return Ok(Standing::Runs) };
    let payments = &cx.app.payments;
    let open = payments.open_of_term(of.seller, of.id, asked.term)?.map(Box::new);
    // One that has paid is still on its way to be counted.
    if let Some(open) = open.as_ref().filter(|open| !open.requires_action()) {
        return Ok(Standing::UnderWay(open.amount));
    }
    Ok(match payments.subscription_rests_until(of.seller, of.id, now)? {
        Some(until) => Standing::Resting { until, waiting: open },
        None => Standing::Asks { asked, waiting: open },
    })
}
