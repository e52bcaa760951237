//! Calls to the provider that are open: waiting for their answer, asking about a lost one, and
//! taking what a person found out. What is done with a payment is done one thing after the other:
//! who comes while the provider is being asked waits for its answer, and is judged by what that
//! made of the payment.

use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use super::Payments;
use super::room::{PaymentRoom, Step};
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{CallState, Payment, ProviderOutcome};
use crate::domain::refusal::Cause;
use crate::kernel::{AskError, Context, Decision, Halt, Once};

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

    /// Lets the room decide a command once for its key, when no call to the provider is open, and
    /// makes the call that the command leads to.
    pub(super) async fn change_once(
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
        let decide = Arc::new(decide);
        self.in_turn(seller, id, || {
            let decide = Arc::clone(&decide);
            self.to_the_end(move |payments| async move {
                let decided =
                    payments.rooms.once((seller, id), move |room, cx| decide(room, cx)).await?;
                payments.call_provider_once(decided, None).await
            })
        })
        .await
    }

    /// Gives a command again until the payment is not being processed any more.
    ///
    /// # Errors
    /// As the command says; that the payment is being processed, when that has lasted as long as
    /// a caller waits for a room, or waits for a person.
    pub(super) async fn in_turn<T, F>(
        &self,
        seller: SellerId,
        id: PaymentId,
        give: impl Fn() -> F,
    ) -> Result<T, AskError>
    where
        F: Future<Output = Result<T, AskError>>,
    {
        let deadline = Instant::now() + self.rooms.settings().answer_within;
        let mut changes = None;
        loop {
            let given = give().await;
            let waits = given.as_ref().is_err_and(is_of_processing);
            if !waits || Instant::now() >= deadline {
                return given;
            }
            let Some(changes) = &mut changes else {
                // Given once more after this, so that no change falls in between.
                changes = Some(self.watch(seller, id));
                continue;
            };
            // Makes a call again that was lost with an earlier process.
            let answered = timeout_at(deadline, self.once_answered(seller, id)).await;
            let open = answered.ok().and_then(Result::ok).and_then(|payment| payment.call);
            match open.map(|call| call.state) {
                // A person may take days.
                Some(CallState::Manual) => return given,
                Some(CallState::Unknown | CallState::Working) => {
                    let _ = timeout_at(deadline, changes.changed()).await;
                }
                Some(CallState::Staged | CallState::Answered) | None => (),
            }
        }
    }
}

fn is_of_processing(error: &AskError) -> bool {
    matches!(error, AskError::Refused(refusal) if refusal.cause == Cause::InFlight)
}
