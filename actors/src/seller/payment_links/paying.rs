//! Links are paid: a payment is begun, and counted when it has succeeded.

use crate::domain::ids::{MessageId, PaymentId, SellerId};
use crate::domain::messages::{Addressee, Envelope, LinkNotice, PaymentMessage, SellerMessage};
use crate::domain::payments::card::CardData;
use crate::domain::payments::payment::Payment;
use crate::domain::payments::payment_link::{
    PaymentLinkOrder, PaymentLinkRefusal, PaymentLinkUse, Sale,
};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects, KeyClaim};
use crate::payment::{Attempted, Payments};
use crate::seller::{SellerRoom, Sellers};
use crate::tables::{OUTBOX, PAYMENT_LINK_USES};

impl Sellers {
    /// Pays a link by card, and answers the payment as the provider's first answer left it. The
    /// payment of a link for one that waits for its buyer is given up for this one. An attempt that
    /// is repeated answers its payment. What was begun runs to its end, even if the caller goes
    /// away.
    ///
    /// # Errors
    /// Refused where the link has come to an end, asks for another amount by now, or another
    /// payment of it is under way; and where nothing is left of its promo code.
    pub async fn pay_link(
        &self,
        payments: &Payments,
        order: PaymentLinkOrder,
        card: CardData,
    ) -> Result<Payment, AskError> {
        let (sellers, payments) = (self.clone(), payments.clone());
        let paid = async move {
            let claim = match payments.attempted(&order).await? {
                Attempted::Made(payment) => return Ok(*payment),
                Attempted::Free(claim) => claim.map(|claim| *claim),
            };
            let refusal = match sellers.begin_sale(&payments, &order, card, claim).await {
                Err(AskError::Refused(refusal)) => refusal,
                answer => return answer,
            };
            // The same attempt may have been faster by another way.
            match payments.attempted(&order).await? {
                Attempted::Made(payment) => Ok(*payment),
                Attempted::Free(_) => Err(refusal.into()),
            }
        };
        tokio::spawn(paid).await.unwrap_or(Err(AskError::Unanswered))
    }

    async fn begin_sale(
        &self,
        payments: &Payments,
        order: &PaymentLinkOrder,
        card: CardData,
        claim: Option<KeyClaim>,
    ) -> Result<Payment, AskError> {
        let (seller, link) = (order.seller, order.link);
        if order.alone {
            payments.leave_link(seller, link).await?;
        }
        let id = payments.next_id(seller);
        let reference = self.reserve_sale(order, id).await?;
        let paid = payments.pay_link(id, reference, order, card, claim).await;
        if let (Err(AskError::Refused(_)), Some(promo)) = (&paid, order.promo) {
            self.give_promo_back(seller, promo, id).await?;
        }
        paid
    }

    /// Holds an order against its link as it stands, reserves the promo code that it names, and
    /// answers what its payment is called.
    async fn reserve_sale(
        &self,
        order: &PaymentLinkOrder,
        payment: PaymentId,
    ) -> Result<String, AskError> {
        let (seller, order) = (order.seller, order.clone());
        let reserve = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            room.reserve_sale(cx, &order, payment)
        };
        self.rooms.command(seller, reserve).await
    }

    /// Takes a durable message once, however often it comes.
    pub async fn receive(
        &self,
        seller: SellerId,
        message: MessageId,
        content: SellerMessage,
    ) -> Result<(), AskError> {
        let row = Addressee::Seller(seller).row(message);
        let take = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            if !cx.contains(OUTBOX, &row)? {
                return Ok(Decision::unchanged(()));
            }
            let mut effects = Effects::new();
            match &content {
                SellerMessage::LinkPaid(notice) => room.link_paid(cx, notice, &mut effects)?,
                SellerMessage::LinkPaymentLost(notice) => {
                    room.release_promo(cx, notice, &mut effects)?;
                }
                SellerMessage::LinkPaymentReversed(notice) => {
                    room.link_reversed(cx, notice, &mut effects)?;
                }
                SellerMessage::WentLive(after) => room.tell_clocks(cx, *after, &mut effects)?,
            }
            effects.delete(OUTBOX, &row);
            Ok(effects.answer(()))
        };
        self.rooms.command_in_passing(seller, take).await
    }
}

impl SellerRoom {
    fn reserve_sale(
        &self,
        cx: &Context<Self>,
        order: &PaymentLinkOrder,
        payment: PaymentId,
    ) -> Result<Decision<Self, String>, Refusal> {
        let link = self.link(cx, order.link)?;
        if !link.is_payable(cx.now()) {
            return Err(PaymentLinkRefusal::Ended(link.status_at(cx.now())).into());
        }
        let mut effects = Effects::new();
        let price = match order.promo {
            None => link.amount,
            Some(promo) => self.reserve_promo(cx, promo, (&link, payment), &mut effects)?,
        };
        if price != order.amount || link.single_use != order.alone {
            return Err(PaymentLinkRefusal::AmountChanged.into());
        }
        let reference = link.reference(payment);
        match order.promo {
            None => Ok(Decision::unchanged(reference)),
            Some(_) => Ok(effects.answer(reference)),
        }
    }

    /// Counts a payment; where the link does not want it, it goes back.
    fn link_paid(
        &self,
        cx: &Context<Self>,
        notice: &LinkNotice,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let known = self.link(cx, notice.link)?;
        let promo = match notice.promo {
            Some(promo) => Some(self.promo_code(cx, promo)?.code),
            None => None,
        };
        let sale =
            Sale { reference: &notice.reference, amount: notice.amount, promo: promo.as_deref() };
        match known.count(sale, cx.now()) {
            Ok(change) => {
                let (amount, at) = (notice.amount, cx.now());
                let used = PaymentLinkUse { amount, promo: notice.promo, at };
                effects.put(PAYMENT_LINK_USES, &(self.id, known.id, notice.payment), &used);
                self.put_link(cx, Some(&known), change, effects)?;
                self.redeem_promo(cx, notice, effects)
            }
            Err(refusal) => {
                let (seller, payment) = (self.id, notice.payment);
                tracing::info!(link = known.id.0, payment = payment.0, %refusal, "goes back");
                let message = PaymentMessage::NotWanted(refusal.to_string());
                effects.send(Envelope::to_payment(seller, payment, message));
                self.release_promo(cx, notice, effects)
            }
        }
    }

    /// Takes a payment back that had been counted; one that was sent back had not.
    fn link_reversed(
        &self,
        cx: &Context<Self>,
        notice: &LinkNotice,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let row = (self.id, notice.link, notice.payment);
        if !cx.contains(PAYMENT_LINK_USES, &row)? {
            return Ok(());
        }
        effects.delete(PAYMENT_LINK_USES, &row);
        let known = self.link(cx, notice.link)?;
        self.put_link(cx, Some(&known), known.take_back(cx.now()), effects)?;
        self.take_promo_back(cx, notice, effects)
    }
}
