//! What payments do to a subscription: durable messages, each taken once.

use super::{LinkSubscriptionRoom, LinkSubscriptions};
use crate::domain::ids::{LinkSubscriptionId, MessageId, SellerId};
use crate::domain::messages::{
    Addressee, Envelope, PaymentMessage, SubscriptionMessage, SubscriptionNotice,
};
use crate::domain::payments::link_subscription::{
    LinkCharge, LinkSubscriptionChange, Paid, VERIFICATION,
};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::payment::forgetting::take_away;
use crate::tables::{LINK_SUBSCRIPTION_CHARGES, OUTBOX};

impl LinkSubscriptions {
    /// Hands a durable message to a subscription; it is taken once however often it comes.
    pub async fn receive(
        &self,
        seller: SellerId,
        id: LinkSubscriptionId,
        message: MessageId,
        content: SubscriptionMessage,
    ) -> Result<(), AskError> {
        let row = Addressee::Subscription(seller, id).row(message);
        let take = move |room: &LinkSubscriptionRoom, cx: &Context<LinkSubscriptionRoom>| {
            if !cx.contains(OUTBOX, &row)? {
                return Ok(Decision::unchanged(()));
            }
            let mut effects = Effects::new();
            let change = match &content {
                SubscriptionMessage::Paid(notice) => room.paid(cx, notice, &mut effects)?,
                SubscriptionMessage::ChargeFailed(notice) => room.charge_failed(cx, notice)?,
                SubscriptionMessage::Reversed(notice) => room.reversed(cx, notice, &mut effects)?,
            };
            if let Some(change) = change {
                room.keep(cx, change, &mut effects)?;
            }
            effects.delete(OUTBOX, &row);
            Ok(effects.answer(()))
        };
        self.rooms.command_in_passing((seller, id), take).await
    }
}

type Heard = Result<Option<LinkSubscriptionChange>, Refusal>;

impl LinkSubscriptionRoom {
    /// Counts a payment; where the subscription does not want it, it goes back. A card that came
    /// with it and is not kept is forgotten.
    fn paid(
        &self,
        cx: &Context<Self>,
        notice: &SubscriptionNotice,
        effects: &mut Effects<Self>,
    ) -> Heard {
        let SubscriptionNotice { payment, ref reference, term, amount, ref card, .. } = *notice;
        let paid = Paid { reference, term, amount, card: card.as_ref() };
        let outcome = self.subscription()?.pay(&paid, cx.now());
        let after = outcome.as_ref().map_or(self.subscription()?, |change| &change.subscription);
        let kept = after.card.as_ref().map(|card| card.id);
        if let Some(unwanted) = card.as_ref().filter(|card| Some(card.id) != kept) {
            take_away(effects, self.seller, unwanted);
        }
        match outcome {
            Ok(change) => {
                if term != VERIFICATION {
                    let at = cx.now();
                    let charge = LinkCharge { payment, reference: reference.clone(), amount, at };
                    effects.put(LINK_SUBSCRIPTION_CHARGES, &(self.seller, self.id, term), &charge);
                }
                Ok(Some(change))
            }
            Err(refusal) => {
                let (seller, subscription) = (self.seller.0, self.id.0);
                tracing::info!(seller, subscription, payment = payment.0, %refusal, "goes back");
                if amount.minor > 0 {
                    let message = PaymentMessage::NotWanted(refusal.to_string());
                    effects.send(Envelope::to_payment(self.seller, payment, message));
                }
                Ok(None)
            }
        }
    }

    fn charge_failed(&self, cx: &Context<Self>, notice: &SubscriptionNotice) -> Heard {
        let Some(charge) = notice.charge else { return Ok(None) };
        Ok(self.subscription()?.charge_failed(charge, notice.failure, cx.now()))
    }

    /// Takes a payment back that had been counted; one that was sent back had not.
    fn reversed(
        &self,
        cx: &Context<Self>,
        notice: &SubscriptionNotice,
        effects: &mut Effects<Self>,
    ) -> Heard {
        let row = (self.seller, self.id, notice.term);
        let counted = cx.get(LINK_SUBSCRIPTION_CHARGES, &row)?;
        if counted.is_none_or(|counted| counted.payment != notice.payment) {
            return Ok(None);
        }
        effects.delete(LINK_SUBSCRIPTION_CHARGES, &row);
        Ok(Some(self.subscription()?.take_back(notice.term, cx.now())))
    }
}
