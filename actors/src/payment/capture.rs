//! Taking what is held, and letting go of it.

use super::Payments;
use super::room::PaymentRoom;
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{CaptureOrder, Payment, SpentKey};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, KeyClaim, Once};
use crate::tables::TERMINALS;

impl Payments {
    /// Goes on with a card payment after the buyer's approval, and takes `minor` of it or all;
    /// once for its key, which is given back where the processor still waits for the buyer.
    pub async fn finalize(
        &self,
        seller: SellerId,
        id: PaymentId,
        minor: Option<i64>,
        spend: KeyClaim,
    ) -> Result<Once<Payment>, AskError> {
        self.change_once(seller, id, move |room, cx| {
            let spent = Some(spent(&spend));
            room.change_once(cx, &spend, id.0, |payment| payment.finalize(minor, spent, cx.now()))
        })
        .await
    }

    /// Takes `minor` of what is held, or all that is left, once for its key; after the `last`
    /// capture the rest is let go. A capture that fails for certain gives its key back.
    pub async fn capture(
        &self,
        seller: SellerId,
        id: PaymentId,
        minor: Option<i64>,
        last: bool,
        spend: KeyClaim,
    ) -> Result<Once<Payment>, AskError> {
        self.change_once(seller, id, move |room, cx| {
            let in_parts = room.captures_in_parts(cx)?;
            let order = CaptureOrder { minor, last, in_parts, spent: Some(spent(&spend)) };
            room.change_once(cx, &spend, id.0, |payment| payment.capture(order, cx.now()).map(Some))
        })
        .await
    }

    /// Calls off a payment that waits for the buyer, a session with all its attempts too, or lets
    /// go of what is held, once for its key. Refused once it is paid; the key is given back where
    /// the processor says that the buyer was faster.
    pub async fn cancel(
        &self,
        seller: SellerId,
        id: PaymentId,
        spend: KeyClaim,
    ) -> Result<Once<Payment>, AskError> {
        self.change_once(seller, id, move |room, cx| {
            let spent = Some(spent(&spend));
            room.change_once(cx, &spend, id.0, |payment| {
                payment.call_off(spent, cx.now()).map(Some)
            })
        })
        .await
    }

    /// Cancels a payment for its buyer, who waits for nothing: refused while the provider has yet
    /// to answer, and once it is paid.
    pub async fn leave(&self, seller: SellerId, id: PaymentId) -> Result<Payment, AskError> {
        self.change(seller, id, None, |payment, _, now| payment.cancel(now)).await
    }
}

fn spent(claim: &KeyClaim) -> SpentKey {
    SpentKey { endpoint: claim.endpoint.to_owned(), key: claim.key.clone() }
}

impl PaymentRoom {
    /// Whether the payment's processor takes what is held in several parts.
    fn captures_in_parts(&self, cx: &Context<Self>) -> Result<bool, Refusal> {
        let Some(terminal) = self.payment()?.terminal else { return Ok(false) };
        let terminal = cx.get(TERMINALS, &(self.seller, terminal))?;
        Ok(terminal.is_some_and(|terminal| terminal.multicapture))
    }
}
