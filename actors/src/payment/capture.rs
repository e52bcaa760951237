//! Taking what is held, and letting go of it.

use super::Payments;
use super::room::{PaymentRoom, Step};
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{CaptureOrder, Payment, SpentKey};
use crate::kernel::{AskError, Context, Decision, Halt, Once};
use crate::key_claim::KeyClaim;

impl Payments {
    /// Goes on with a card payment after the buyer's approval, and takes `minor` of it or all;
    /// once for its key.
    pub async fn finalize(
        &self,
        seller: SellerId,
        id: PaymentId,
        minor: Option<i64>,
        spend: KeyClaim,
    ) -> Result<Once<Payment>, AskError> {
        self.change_once(seller, id, move |room, cx| {
            room.change_once(cx, &spend, id.0, |payment| payment.finalize(minor, cx.now()))
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
            let spent = SpentKey { endpoint: spend.endpoint.to_owned(), key: spend.key.clone() };
            let order = CaptureOrder { minor, last, spent: Some(spent) };
            room.change_once(cx, &spend, id.0, |payment| payment.capture(order, cx.now()).map(Some))
        })
        .await
    }

    /// Gives up a payment that waits for the buyer, or lets go of what is held. Refused while the
    /// provider has yet to answer, and once it is paid.
    pub async fn cancel(&self, seller: SellerId, id: PaymentId) -> Result<Payment, AskError> {
        self.change(seller, id, None, |payment, _, now| payment.cancel(now)).await
    }

    async fn change_once(
        &self,
        seller: SellerId,
        id: PaymentId,
        decide: impl Fn(
            &PaymentRoom,
            &Context<PaymentRoom>,
        ) -> Result<Decision<PaymentRoom, Step>, Halt>
        + Send
        + Sync
        + 'static,
    ) -> Result<Once<Payment>, AskError> {
        self.to_the_end(move |payments| async move {
            let decided = payments.rooms.once((seller, id), decide).await?;
            payments.call_provider_once(decided, None).await
        })
        .await
    }
}
