//! What sellers do with a payment under a key of their own: finalize, capture, refund
//! (payments 3 and 7, decisions 13).

use super::command::{Command, SpentAnswer};
use super::handle::{Asked, Payments};
use crate::domain::ids::{PaymentId, RefundId, SellerId};
use crate::domain::payments::payment::{ForcedRefund, NewRefund, Payment, Refund};
use crate::domain::refusal::Refusal;
use crate::room::AskError;
use crate::seller::{SpendKey, Spent};
use crate::tables::ids;

/// What is answered to a write under a key.
pub type AskedSpent<T> = Result<Spent<T>, AskError>;

impl Payments {
    /// Goes on with a card payment after the buyer's approval, and takes `minor` of it or all.
    ///
    /// # Errors
    /// As [`AskError`] says; refused as [`Payment::finalize`] says.
    pub async fn finalize(
        &self,
        seller: SellerId,
        id: PaymentId,
        minor: Option<i64>,
        spend: SpendKey,
    ) -> AskedSpent<Payment> {
        let command = move |reply| Command::Finalize { minor, spend: spend.clone(), reply };
        self.spend(seller, id, command).await
    }

    /// Takes `minor` of what is held, or all that is left; after the `last` capture the rest is
    /// let go.
    ///
    /// # Errors
    /// As [`AskError`] says; refused as [`Payment::capture`] says.
    pub async fn capture(
        &self,
        seller: SellerId,
        id: PaymentId,
        minor: Option<i64>,
        last: bool,
        spend: SpendKey,
    ) -> AskedSpent<Payment> {
        let command = move |reply| Command::Capture { minor, last, spend: spend.clone(), reply };
        self.spend(seller, id, command).await
    }

    /// Gives `minor` back, or all that is left. The key stands for the refund's id.
    ///
    /// # Errors
    /// As [`AskError`] says; refused as [`Payment::refund`] says.
    pub async fn refund(
        &self,
        seller: SellerId,
        id: PaymentId,
        minor: Option<i64>,
        reason: Option<String>,
        forced: Option<ForcedRefund>,
        spend: SpendKey,
    ) -> AskedSpent<(Payment, Refund)> {
        let refund = RefundId(self.store.next_id(ids::REFUND));
        let new = NewRefund { id: refund, minor, reason, forced };
        let command = move |reply| Command::Refund {
            new: Box::new(new.clone()),
            spend: spend.clone(),
            reply,
        };
        let payments = self.clone();
        let task = tokio::spawn(async move {
            match payments.rooms.ask((seller, id), command).await? {
                Spent::Made((payment, _)) => payments.refund_now(payment, refund).await,
                other => Ok(other),
            }
        });
        task.await.unwrap_or(Err(AskError::Unanswered))
    }

    /// Tries a refund again that came too early (2004), under its own id.
    ///
    /// # Errors
    /// As [`AskError`] says; refused as [`Payment::refund_again`] says.
    pub async fn refund_again(
        &self,
        seller: SellerId,
        id: PaymentId,
        refund: RefundId,
    ) -> AskedSpent<(Payment, Refund)> {
        let payments = self.clone();
        let task = tokio::spawn(async move {
            let command = |reply| Command::RefundAgain { refund, reply };
            let payment = payments.rooms.ask((seller, id), command).await?;
            payments.refund_now(payment, refund).await
        });
        task.await.unwrap_or(Err(AskError::Unanswered))
    }

    /// Asks the provider for the refund that was written down, and answers both as its answer
    /// left them.
    async fn refund_now(
        &self,
        payment: Payment,
        refund: RefundId,
    ) -> AskedSpent<(Payment, Refund)> {
        let (seller, id) = (payment.seller, payment.id);
        let payment = self.ask_on(payment, None).await?;
        match self.refund_row(seller, id, refund) {
            Ok(Some(row)) => Ok(Spent::Made((payment, row))),
            Ok(None) => Err(Refusal::missing().into()),
            Err(error) => {
                tracing::error!(%error, "a refund cannot be read");
                Err(Refusal::fault().into())
            }
        }
    }

    async fn spend(
        &self,
        seller: SellerId,
        id: PaymentId,
        command: impl Fn(SpentAnswer<Payment>) -> Command + Send + Sync + 'static,
    ) -> AskedSpent<Payment> {
        let payments = self.clone();
        let task = tokio::spawn(async move {
            match payments.rooms.ask((seller, id), command).await? {
                Spent::Made(payment) => {
                    let asked: Asked = payments.ask_on(payment, None).await;
                    asked.map(Spent::Made)
                }
                other => Ok(other),
            }
        });
        task.await.unwrap_or(Err(AskError::Unanswered))
    }
}
