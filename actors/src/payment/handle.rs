//! What callers hold of the payment rooms.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use storage::Store;

use super::command::{Answer, Command};
use super::room::PaymentRoom;
use super::watch::Watchers;
use crate::connector::Processors;
use crate::delivery::DeliveryPool;
use crate::directory::Directory;
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::payment::{BuyerAnswer, Payment, ProviderOutcome, Windows};
use crate::domain::payments::source::Source;
use crate::outbox::Outbox;
use crate::room::{AskError, Rooms};

/// What all payment rooms work with.
pub struct PaymentTools {
    /// The sellers with their webhooks.
    pub directory: Directory,
    /// Told of deliveries.
    pub deliveries: DeliveryPool,
    /// Told of messages to contracts and payees.
    pub outbox: Outbox,
    /// Those who move money.
    pub processors: Processors,
    /// How long payments wait for what happens elsewhere.
    pub windows: Windows,
    /// How long a processor may take before its answer counts as lost.
    pub provider_timeout: Duration,
    /// The address that a buyer comes back to from a processor's page; known once the server
    /// knows its own.
    pub return_address: OnceLock<ReturnAddress>,
    /// Those who wait for a payment to change.
    pub watchers: Watchers,
}

/// The address that the buyer of a payment comes back to from a processor's page.
pub type ReturnAddress = Box<dyn Fn(SellerId, PaymentId) -> String + Send + Sync>;

impl fmt::Debug for PaymentTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PaymentTools").field("windows", &self.windows).finish_non_exhaustive()
    }
}

/// A room's answer: the payment, a refusal, or none at all.
pub type Asked = Result<Payment, AskError>;

/// The handle to all payment rooms. Clones are the same handle.
#[derive(Clone)]
pub struct Payments {
    pub(super) rooms: Rooms<PaymentRoom>,
    pub(super) store: Store,
}

impl Payments {
    /// A handle over running rooms.
    pub fn new(rooms: Rooms<PaymentRoom>, store: Store) -> Self {
        Self { rooms, store }
    }

    /// Says where buyers come back to from a processor's page; the first word counts.
    pub fn lead_back(&self, address: ReturnAddress) {
        // A second word is no error: there is one server in a process.
        let _ = self.rooms.tools().return_address.set(address);
    }

    /// How many payment rooms are in memory.
    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    /// Stops all payment rooms.
    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// The payment once no call to the provider that this process makes is open. A call that
    /// was lost with an earlier process is asked about now.
    ///
    /// # Errors
    /// As [`AskError`] says; refused when there is no such payment.
    pub async fn settled(&self, seller: SellerId, id: PaymentId) -> Asked {
        self.carry_on(seller, id, |reply| Command::Settled { reply }, None).await
    }

    /// Tries a payment again that failed for a passing reason, with the card or token of the
    /// replayed request (decisions 11 and 13).
    ///
    /// # Errors
    /// As [`AskError`] says; refused as a conflict when it is not to be tried again.
    pub async fn try_again(&self, seller: SellerId, id: PaymentId, source: Source) -> Asked {
        self.carry_on(seller, id, |reply| Command::TryAgain { reply }, Some(source)).await
    }

    /// Takes the buyer's answer to the challenge (decisions 7). Where an approval is enough the
    /// provider is told, and the payment answered as that left it.
    ///
    /// # Errors
    /// As [`AskError`] says; refused when the payment asks the buyer nothing.
    pub async fn buyer_answered(
        &self,
        seller: SellerId,
        id: PaymentId,
        answer: BuyerAnswer,
    ) -> Asked {
        let command = move |reply| Command::BuyerAnswered { answer, reply };
        self.carry_on(seller, id, command, None).await
    }

    /// Gives up a payment that waits for the buyer, or lets go of what is held.
    ///
    /// # Errors
    /// As [`AskError`] says; refused while the provider has yet to answer, and once it is paid.
    pub async fn cancel(&self, seller: SellerId, id: PaymentId) -> Asked {
        self.carry_on(seller, id, |reply| Command::Cancel { reply }, None).await
    }

    /// Takes what a person found out about a call whose outcome nobody knew (decisions 13).
    ///
    /// # Errors
    /// As [`AskError`] says; refused as a conflict when no call is open.
    pub async fn resolve(
        &self,
        seller: SellerId,
        id: PaymentId,
        outcome: ProviderOutcome,
    ) -> Asked {
        let command = move |reply| Command::Resolve { outcome: outcome.clone(), reply };
        self.carry_on(seller, id, command, None).await
    }

    /// Does what a payment's timer says: settle it, give up on the buyer, ask the provider
    /// again. For timers of [`TimerKind::Payment`](crate::timers::TimerKind::Payment).
    ///
    /// # Errors
    /// As [`AskError`] says; refused when nothing is due, which is no fault.
    pub async fn timer_rang(&self, seller: SellerId, id: PaymentId) -> Asked {
        self.carry_on(seller, id, |reply| Command::TimerRang { reply }, None).await
    }

    /// Tells of each durable change of a payment from now on.
    pub fn watch(&self, seller: SellerId, id: PaymentId) -> tokio::sync::watch::Receiver<u64> {
        self.rooms.tools().watchers.watch(seller, id)
    }

    /// Asks a room, and goes on with the call that it wrote down, to the end even if the caller
    /// goes away.
    pub(super) async fn carry_on(
        &self,
        seller: SellerId,
        id: PaymentId,
        command: impl Fn(Answer) -> Command + Send + Sync + 'static,
        source: Option<Source>,
    ) -> Asked {
        let payments = self.clone();
        let task = tokio::spawn(async move {
            let payment = payments.rooms.ask((seller, id), command).await?;
            payments.ask_on(payment, source).await
        });
        task.await.unwrap_or(Err(AskError::Unanswered))
    }

    /// Makes the room of a payment panic.
    #[cfg(feature = "faults")]
    pub async fn panic(&self, seller: SellerId, id: PaymentId) -> Result<(), AskError> {
        self.rooms.ask((seller, id), |reply| Command::Panic { _reply: reply }).await
    }
}
