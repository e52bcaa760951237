//! Payments of subscriptions by payment link: those that their buyers make at the page, and the
//! charges of the cards that are kept.

use std::sync::Arc;

use storage::{ReadError, Scan, Store};

use super::order::BeginRefusal;
use super::room::PaymentRoom;
use super::{PaymentOrder, Payments};
use crate::domain::ids::{LinkSubscriptionId, PaymentId, SellerId};
use crate::domain::payments::card::CardData;
use crate::domain::payments::link_subscription::{
    Asked, LinkSubscription, LinkSubscriptionRefusal, LinkSubscriptionStatus,
};
use crate::domain::payments::payment::{Declines, NewPayment, Payment, PaysFor};
use crate::domain::payments::saved_card::{SavedCard, SavedCharge};
use crate::domain::payments::source::Source;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Context, Effects, Halt, Once};
use crate::tables::{
    LINK_SUBSCRIPTIONS, SUBSCRIPTION_DECLINES, SUBSCRIPTION_ORDERS, SUBSCRIPTION_PAYMENTS,
    TERM_PAYMENTS,
};

/// A charge of the card that a subscription keeps.
#[derive(Clone, Debug)]
pub(crate) struct SubscriptionCharge {
    pub(crate) subscription: LinkSubscription,
    pub(crate) charge: SavedCharge,
    pub(crate) card: SavedCard,
}

impl Payments {
    /// Pays what a subscription's page asks for, as it was `seen` there, and answers the payment as
    /// the provider's first answer left it. A payment that waits for its buyer is given up for this
    /// one.
    ///
    /// # Errors
    /// Refused where something else is asked for by now, or another payment of it is under way.
    pub async fn pay_subscription(
        &self,
        seller: SellerId,
        id: LinkSubscriptionId,
        seen: Asked,
        card: CardData,
    ) -> Result<Payment, AskError> {
        if let Some(open) = self.read(seller, id.0, self.open_of_term(seller, id, seen.term))? {
            if !open.requires_action() {
                return Err(BeginRefusal::InProgress.into());
            }
            self.leave(seller, open.id).await?;
        }
        let known = self.read(seller, id.0, self.store().get(LINK_SUBSCRIPTIONS, &(seller, id)))?;
        let known = known.ok_or_else(Refusal::missing)?;
        if known.asks() != Some(seen) {
            return Err(LinkSubscriptionRefusal::Changed.into());
        }
        let payment = self.next_id(seller);
        let new = order_of(&known, seen.term, payment);
        let new = PaymentOrder { amount: seen.amount, ..new };
        match self.begin(payment, new, Some(Source::Card(Arc::new(card))), None).await? {
            Once::Made(payment) => Ok(payment),
            Once::Before => Err(BeginRefusal::InProgress.into()),
        }
    }

    /// Makes a charge once for its number: the payment as the provider's answer left it, made now
    /// or before.
    ///
    /// # Errors
    /// Refused while another payment of the term is open, when the subscription has ended, and
    /// where the card cannot be charged by anybody; [`AskError::Busy`] where its processor is left
    /// alone, and then nothing was begun.
    pub(crate) async fn charge_subscription(
        &self,
        order: SubscriptionCharge,
    ) -> Result<Payment, AskError> {
        let SubscriptionCharge { subscription: of, charge, card } = order;
        let (seller, row) = (of.seller, (of.seller, of.id, charge.attempt));
        let made = |payments: &Self| {
            payments.read(seller, of.id.0, payments.store().get(SUBSCRIPTION_ORDERS, &row))
        };
        if let Some(made) = made(self)? {
            return self.once_answered(seller, made).await;
        }
        self.reaches_keeper(seller, &card)?;
        let known = self.store().get(LINK_SUBSCRIPTIONS, &(seller, of.id));
        let known = self.read(seller, of.id.0, known)?;
        if known.is_none_or(|known| known.status != LinkSubscriptionStatus::Active) {
            return Err(BeginRefusal::CalledOff.into());
        }
        let opened = self.tools().processors.open_card(seller, &card).map_err(|error| {
            let (seller, card) = (seller.0, card.id.0);
            tracing::error!(seller, card, %error, "a kept card cannot be charged");
            Refusal::fault()
        })?;
        let payment = self.next_id(seller);
        let new = order_of(&of, of.terms_paid + 1, payment);
        let new = PaymentOrder { saved: Some((charge, card)), ..new };
        match self.begin(payment, new, Some(Source::Saved(Arc::new(opened))), None).await? {
            Once::Made(payment) => Ok(payment),
            Once::Before => {
                let made = made(self)?.ok_or_else(Refusal::fault)?;
                self.once_answered(seller, made).await
            }
        }
    }

    /// The payment that pays a term, or may yet.
    pub fn open_of_term(
        &self,
        seller: SellerId,
        subscription: LinkSubscriptionId,
        term: u32,
    ) -> Result<Option<Payment>, ReadError> {
        match self.store().get(TERM_PAYMENTS, &(seller, subscription, term))? {
            Some(id) => self.get(seller, id),
            None => Ok(None),
        }
    }

    /// When the page of a subscription takes cards again after too many were declined; `None`
    /// while it takes them.
    pub fn subscription_rests_until(
        &self,
        seller: SellerId,
        subscription: LinkSubscriptionId,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, ReadError> {
        rests_until(self.store(), seller, subscription, now)
    }
}

impl PaymentRoom {
    /// Each charge of a kept card is made once.
    pub(super) fn order_of_subscription(
        &self,
        cx: &Context<Self>,
        new: &NewPayment,
    ) -> Result<(), Halt> {
        let of = new.pays_for.subscription().zip(new.saved_charge);
        let Some(((subscription, _), charge)) = of else { return Ok(()) };
        cx.once(SUBSCRIPTION_ORDERS, &(self.seller, subscription, charge.attempt))
    }

    /// A term has one open payment at most, and each page takes so many declined cards.
    pub(super) fn begin_at_subscription(
        &self,
        cx: &Context<Self>,
        payment: &Payment,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let Some((subscription, term)) = payment.pays_for.subscription() else { return Ok(()) };
        let seller = self.seller;
        effects.put(SUBSCRIPTION_PAYMENTS, &(seller, subscription, payment.id), &());
        if let Some(charge) = payment.saved_charge {
            let row = (seller, subscription, charge.attempt);
            effects.claim(SUBSCRIPTION_ORDERS, &row, &payment.id);
        }
        if payment.status.is_lost() {
            return Ok(());
        }
        let open = (seller, subscription, term);
        if cx.contains(TERM_PAYMENTS, &open)? {
            return Err(BeginRefusal::InProgress.into());
        }
        let by_hand = payment.saved_charge.is_none();
        let rests = || cx.read(rests_until(cx.store(), seller, subscription, cx.now()));
        if by_hand && rests()?.is_some() {
            return Err(BeginRefusal::TooManyDeclines.into());
        }
        effects.claim(TERM_PAYMENTS, &open, &payment.id);
        Ok(())
    }
}

fn order_of(of: &LinkSubscription, term: u32, payment: PaymentId) -> PaymentOrder {
    let pays_for = PaysFor::Subscription { subscription: of.id, term };
    PaymentOrder { pays_for, ..PaymentOrder::new(of.seller, of.reference(payment), of.amount) }
}

/// The newest declines are looked through, as many as count.
fn rests_until(
    store: &Store,
    seller: SellerId,
    subscription: LinkSubscriptionId,
    now: Timestamp,
) -> Result<Option<Timestamp>, ReadError> {
    let mut declines = Declines::at(now);
    let newest = Scan::prefix(&(seller, subscription)).reverse();
    for key in store.scan(SUBSCRIPTION_DECLINES, newest).keys() {
        let (_, _, at, _) = key?;
        if !declines.count_at(at) {
            break;
        }
    }
    Ok(declines.rests_until())
}
