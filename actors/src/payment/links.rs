//! Payments of the links that sellers make.

use std::sync::Arc;

use storage::{ReadError, Scan, Store};

use super::order::BeginRefusal;
use super::room::PaymentRoom;
use super::{PaymentOrder, Payments};
use crate::domain::ids::{PaymentId, PaymentLinkId, SellerId};
use crate::domain::payments::card::CardData;
use crate::domain::payments::payment::{Declines, Payment, PaysFor};
use crate::domain::payments::payment_link::PaymentLinkOrder;
use crate::domain::payments::source::Source;
use crate::domain::platform::idempotency_key::KeyedRequest;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Context, Effects, KeyClaim, Once};
use crate::tables::{LINK_DECLINES, OPEN_LINK_PAYMENTS, POST_KEYS};

/// What became of an attempt at paying a link.
pub(crate) enum Attempted {
    Made(Box<Payment>),
    /// Nothing yet; another one is claimed by this, where it is known by a name.
    Free(Option<Box<KeyClaim>>),
}

impl Payments {
    /// The payment that an attempt has made before, once it is answered, if it did not come to
    /// nothing; else the claim of the one that is to be made.
    pub(crate) async fn attempted(&self, order: &PaymentLinkOrder) -> Result<Attempted, AskError> {
        let Some(attempt) = &order.attempt else { return Ok(Attempted::Free(None)) };
        let (seller, link) = (order.seller, order.link);
        let mut lost = 0_u32;
        loop {
            let claim = KeyClaim {
                endpoint: "pay-link",
                key: format!("{attempt}/{lost}"),
                request: KeyedRequest::default(),
            };
            let made = self.store().get(POST_KEYS, &claim.row(seller));
            let Some(made) = self.read(seller, link.0, made)? else {
                return Ok(Attempted::Free(Some(Box::new(claim))));
            };
            let payment = self.once_answered(seller, PaymentId(made.object)).await?;
            if !payment.status.is_lost() {
                return Ok(Attempted::Made(Box::new(payment)));
            }
            lost += 1;
        }
    }

    /// Pays a link by card, and answers the payment as the provider's first answer left it.
    pub(crate) async fn pay_link(
        &self,
        id: PaymentId,
        reference: String,
        order: &PaymentLinkOrder,
        card: CardData,
        claim: Option<KeyClaim>,
    ) -> Result<Payment, AskError> {
        let PaymentLinkOrder { seller, link, amount, alone, promo, .. } = *order;
        let pays_for = PaysFor::Link { link, alone, promo };
        let new = PaymentOrder { pays_for, ..PaymentOrder::new(seller, reference, amount) };
        match self.begin(id, new, Some(Source::Card(Arc::new(card))), claim).await? {
            Once::Made(payment) => Ok(payment),
            Once::Before => Err(BeginRefusal::InProgress.into()),
        }
    }

    /// Gives up the payment of a link for one that waits for its buyer.
    ///
    /// # Errors
    /// Refused where the link is paid, or may be at any moment.
    pub(crate) async fn leave_link(
        &self,
        seller: SellerId,
        link: PaymentLinkId,
    ) -> Result<(), AskError> {
        let open = self.read(seller, link.0, self.open_of_link(seller, link))?;
        match open {
            None => Ok(()),
            Some(open) if !open.status.is_open() => Err(BeginRefusal::LinkPaid.into()),
            Some(open) if !open.requires_action() => Err(BeginRefusal::InProgress.into()),
            Some(open) => self.leave(open.seller, open.id).await.map(|_| ()),
        }
    }

    /// The payment that pays, or may yet pay, a link for one.
    pub fn open_of_link(
        &self,
        seller: SellerId,
        link: PaymentLinkId,
    ) -> Result<Option<Payment>, ReadError> {
        match self.store().get(OPEN_LINK_PAYMENTS, &(seller, link))? {
            Some(id) => self.get(seller, id),
            None => Ok(None),
        }
    }

    /// When a link takes cards again after too many were declined; `None` while it takes them.
    pub fn own_link_rests_until(
        &self,
        seller: SellerId,
        link: PaymentLinkId,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, ReadError> {
        rests_until(self.store(), seller, link, now)
    }
}

impl PaymentRoom {
    /// A link for one has one open payment at most, and each link takes so many declined cards.
    pub(super) fn begin_at_link(
        &self,
        cx: &Context<Self>,
        payment: &Payment,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let Some(link) = payment.pays_for.link() else { return Ok(()) };
        if payment.status.is_lost() {
            return Ok(());
        }
        let open = (self.seller, link);
        let alone = payment.pays_for.link_alone().is_some();
        if alone && cx.contains(OPEN_LINK_PAYMENTS, &open)? {
            return Err(BeginRefusal::InProgress.into());
        }
        if cx.read(rests_until(cx.store(), self.seller, link, cx.now()))?.is_some() {
            return Err(BeginRefusal::TooManyDeclines.into());
        }
        if alone {
            effects.claim(OPEN_LINK_PAYMENTS, &open, &payment.id);
        }
        Ok(())
    }
}

/// The newest declines are looked through, as many as count.
fn rests_until(
    store: &Store,
    seller: SellerId,
    link: PaymentLinkId,
    now: Timestamp,
) -> Result<Option<Timestamp>, ReadError> {
    let mut declines = Declines::at(now);
    for key in store.scan(LINK_DECLINES, Scan::prefix(&(seller, link)).reverse()).keys() {
        let (_, _, at, _) = key?;
        if !declines.count_at(at) {
            break;
        }
    }
    Ok(declines.rests_until())
}
