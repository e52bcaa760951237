//! Giving money of a payment back to the buyer.

use super::Payments;
use crate::domain::ids::{PaymentId, RefundId, SellerId};
use crate::domain::payments::payment::{ForcedRefund, NewRefund, Payment, Refund};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, KeyClaim, Once};
use crate::tables::{REFUNDS, ids};

impl Payments {
    /// Gives `minor` back, or all that is left, once for its key.
    pub async fn refund(
        &self,
        seller: SellerId,
        id: PaymentId,
        minor: Option<i64>,
        reason: Option<String>,
        forced: Option<ForcedRefund>,
        spend: KeyClaim,
    ) -> Result<Once<(Payment, Refund)>, AskError> {
        let refund = RefundId(self.store().next_id_in(ids::REFUND, seller.shard()));
        let new = NewRefund { id: refund, minor, reason, forced };
        let refunded = self.change_once(seller, id, move |room, cx| {
            room.change_once(cx, &spend, refund.0, |payment| {
                payment.refund(new.clone(), cx.now()).map(Some)
            })
        });
        match refunded.await? {
            Once::Made(payment) => self.with_refund(payment, refund).map(Once::Made),
            Once::Before => Ok(Once::Before),
        }
    }

    /// Tries a refund again that came too early (2004), under its own id; what a demo request
    /// `forced` on it counts no more.
    pub async fn refund_again(
        &self,
        seller: SellerId,
        id: PaymentId,
        refund: RefundId,
        forced: Option<ForcedRefund>,
    ) -> Result<(Payment, Refund), AskError> {
        let refunded = self.in_turn(seller, id, || {
            self.to_the_end(move |payments| async move {
                let decided = payments.rooms.command((seller, id), move |room, cx| {
                    let row = cx.get(REFUNDS, &(seller, id, refund))?;
                    let row = row.ok_or_else(Refusal::missing)?;
                    room.change(cx, |payment| payment.refund_again(&row, forced, cx.now()))
                });
                payments.call_provider(decided.await?, None).await
            })
        });
        self.with_refund(refunded.await?, refund)
    }

    fn with_refund(
        &self,
        payment: Payment,
        refund: RefundId,
    ) -> Result<(Payment, Refund), AskError> {
        let row = self.refund_row(payment.seller, payment.id, refund);
        let row = self.read(payment.seller, payment.id.0, row)?.ok_or_else(Refusal::missing)?;
        Ok((payment, row))
    }
}
