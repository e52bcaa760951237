//! Calls to the provider that are open: waiting for their answer, asking about a lost one, and
//! taking what a person found out.

use tokio::time::{Instant, timeout_at};

use super::Payments;
use super::room::Step;
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{Payment, ProviderOutcome};
use crate::kernel::{AskError, Decision};

impl Payments {
    /// The payment once no call to the provider that this process makes is open. A call that was
    /// lost with an earlier process is asked about now.
    ///
    /// # Errors
    /// [`AskError::Unanswered`] when the provider takes longer than a room may.
    pub async fn once_answered(
        &self,
        seller: SellerId,
        id: PaymentId,
    ) -> Result<Payment, AskError> {
        let deadline = Instant::now() + self.rooms.settings().answer_within;
        let provider_timeout = self.tools().provider_timeout;
        let mut changes = None;
        loop {
            if let Some(payment) = self.unless_asking(seller, id).await? {
                return Ok(payment);
            }
            let Some(changes) = &mut changes else {
                // Looked at once more after this, so that no change falls in between.
                changes = Some(self.watch(seller, id));
                continue;
            };
            if Instant::now() >= deadline {
                return Err(AskError::Unanswered);
            }
            // A call that takes longer than this is lost, with the room that knew of it perhaps:
            // then the next look asks after it.
            let until = deadline.min(Instant::now() + provider_timeout);
            let _ = timeout_at(until, changes.changed()).await;
        }
    }

    /// The payment, or `None` while this process makes a call for it.
    async fn unless_asking(
        &self,
        seller: SellerId,
        id: PaymentId,
    ) -> Result<Option<Payment>, AskError> {
        self.to_the_end(move |payments| async move {
            let decided = payments.rooms.command((seller, id), |room, cx| {
                let payment = room.payment()?;
                match payment.asking() {
                    Some(call) if room.asking.as_ref() == Some(&call.key) => {
                        Ok(Decision::unchanged(None))
                    }
                    Some(_) => {
                        Ok(room.change(cx, |payment| payment.ask_again(cx.now()))?.map(Some))
                    }
                    None => {
                        let payment = payment.clone();
                        Ok(Decision::unchanged(Some(Step { payment, call: None })))
                    }
                }
            });
            match decided.await? {
                Some(step) => payments.call_provider(step, None).await.map(Some),
                None => Ok(None),
            }
        })
        .await
    }

    /// Takes what a person found out about a call whose outcome nobody knew.
    pub async fn resolve(
        &self,
        seller: SellerId,
        id: PaymentId,
        outcome: ProviderOutcome,
    ) -> Result<Payment, AskError> {
        self.change(seller, id, None, move |payment, windows, now| {
            payment.resolved(outcome.clone(), windows, now)
        })
        .await
    }
}
