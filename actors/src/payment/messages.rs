//! What contracts and links tell a payment: durable messages, each taken once. That what is to go
//! back does so is the payment's own matter from then on.

use super::Payments;
use super::room::{PaymentRoom, Step};
use crate::domain::ids::{MessageId, PaymentId, RefundId, SellerId};
use crate::domain::messages::{Addressee, PaymentMessage};
use crate::domain::payments::payment::{NewRefund, PaymentRefusal};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::tables::{OUTBOX, ids};

impl Payments {
    /// Hands a durable message to a payment; it is taken once however often it comes. The call
    /// that it leads to is written down, and not waited for.
    ///
    /// # Errors
    /// Also while the payment is being processed: then it has to come again.
    pub async fn receive(
        &self,
        seller: SellerId,
        id: PaymentId,
        message: MessageId,
        content: PaymentMessage,
    ) -> Result<(), AskError> {
        let reason = match content {
            PaymentMessage::NotNeeded(number) => format!("{number} is paid already"),
            PaymentMessage::NotWanted(reason) => reason,
        };
        let refund = NewRefund {
            id: RefundId(self.store().next_id_in(ids::REFUND, seller.shard())),
            minor: None,
            reason: Some(reason),
            forced: None,
        };
        let give = move |room: &PaymentRoom, cx: &Context<PaymentRoom>| {
            room.give_back(cx, message, &refund)
        };
        let step = self.rooms.command((seller, id), give).await?;
        let payments = self.clone();
        tokio::spawn(async move { payments.call_provider(step, None).await });
        Ok(())
    }
}

impl PaymentRoom {
    /// Gives back all that is left of the payment, if anything is.
    fn give_back(
        &self,
        cx: &Context<Self>,
        message: MessageId,
        refund: &NewRefund,
    ) -> Result<Decision<Self, Step>, Refusal> {
        let payment = self.payment()?;
        let row = Addressee::Payment(self.seller, self.id).row(message);
        let nothing = || Step { payment: payment.clone(), call: None };
        if !cx.contains(OUTBOX, &row)? {
            return Ok(Decision::unchanged(nothing()));
        }
        let (mut effects, step) = match payment.give_back(refund.clone(), cx.now()) {
            Ok(change) => self.effects(cx, change)?,
            Err(refusal @ (PaymentRefusal::InFlight | PaymentRefusal::RefundUnderWay)) => {
                return Err(refusal.into());
            }
            // All of it went back, or never came.
            Err(refusal) => {
                let (seller, payment) = (self.seller.0, self.id.0);
                tracing::info!(seller, payment, %refusal, "nothing of a payment is to go back");
                (Effects::new(), nothing())
            }
        };
        effects.delete(OUTBOX, &row);
        Ok(effects.answer(step))
    }
}
