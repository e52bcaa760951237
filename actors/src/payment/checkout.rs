//! Hosted sessions, the attempts at them, and the buyer's answers.

use super::{PaymentOrder, Payments};
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{BuyerAnswer, NewAttempt, Payment};
use crate::kernel::{AskError, KeyClaim, Once};

impl Payments {
    /// Opens a hosted session, once for its key: a payment that nobody has paid at yet.
    pub async fn open_session(
        &self,
        order: PaymentOrder,
        spend: KeyClaim,
    ) -> Result<Once<Payment>, AskError> {
        self.begin(self.next_id(order.seller), order, None, Some(spend)).await
    }

    /// Begins an attempt at a hosted session; refused as a conflict while another is under way and
    /// once the session has come to an end.
    pub async fn attempt(
        &self,
        seller: SellerId,
        id: PaymentId,
        attempt: NewAttempt,
    ) -> Result<Payment, AskError> {
        let source = Some(attempt.source.clone());
        self.change(seller, id, source, move |payment, windows, now| {
            payment.attempt(&attempt, windows, now)
        })
        .await
    }

    /// Takes the buyer's answer to the challenge. Where an approval is enough the provider is
    /// told, and the payment answered as that left it.
    pub async fn buyer_answered(
        &self,
        seller: SellerId,
        id: PaymentId,
        answer: BuyerAnswer,
    ) -> Result<Payment, AskError> {
        self.change(seller, id, None, move |payment, _, now| payment.buyer_answered(answer, now))
            .await
    }
}
