//! What callers hold of the payment rooms.

use std::sync::Arc;
use std::time::Duration;

use storage::Store;

use super::room::PaymentRoom;
use crate::connector::Processors;
use crate::courier::Courier;
use crate::delivery::DeliveryPool;
use crate::directory::Directory;
use crate::domain::ids::{PaymentId, SellerId};
use crate::domain::payments::card::CardData;
use crate::domain::payments::payment::{BuyerAnswer, NewPayment, Payment, ProviderOutcome};
use crate::domain::refusal::Refusal;
use crate::room::{AskError, Reply, Rooms};

/// What all payment rooms work with.
#[derive(Debug)]
pub struct PaymentTools {
    /// The sellers with their webhooks.
    pub directory: Directory,
    /// Told of deliveries.
    pub deliveries: DeliveryPool,
    /// Told of messages to contracts.
    pub courier: Courier,
    /// Those who move money.
    pub processors: Processors,
    /// How long a demo payment takes to settle (`payments.settle_seconds`).
    pub settle_seconds: i64,
    /// How long a processor may take before its answer counts as lost.
    pub provider_timeout: Duration,
}

/// The port for a payment or a refusal.
pub(super) type Answer = Reply<Result<Payment, Refusal>>;

/// A room's answer: the payment, a refusal, or none at all.
pub type Asked = Result<Result<Payment, Refusal>, AskError>;

/// What can be asked of a payment room. Each answers the payment as it is afterwards.
#[derive(Debug)]
pub enum Command {
    /// Begins the payment.
    Start { new: Box<NewPayment>, card: Arc<CardData>, reply: Answer },
    /// Takes the provider's answer to the call of this key.
    Answered { key: String, outcome: ProviderOutcome, reply: Answer },
    /// Takes the buyer's answer to the challenge.
    BuyerAnswered { answer: BuyerAnswer, reply: Answer },
    /// Gives the payment up.
    Cancel { reply: Answer },
    /// Does what is due.
    TimerRang { reply: Answer },
    /// Makes the room panic.
    #[cfg(feature = "faults")]
    Panic { _reply: Reply<()> },
}

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

    /// How many payment rooms are in memory.
    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    /// Stops all payment rooms.
    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// Takes the buyer's answer to the challenge (decisions 7). After an approval the provider
    /// is told, and the payment answered as that left it.
    ///
    /// # Errors
    /// As [`AskError`] says; refused when the payment asks the buyer nothing.
    pub async fn buyer_answered(
        &self,
        seller: SellerId,
        id: PaymentId,
        answer: BuyerAnswer,
    ) -> Asked {
        let command = |reply| Command::BuyerAnswered { answer, reply };
        let asked = self.rooms.ask((seller, id), command).await;
        self.carry_on(asked, None).await
    }

    /// Gives up a payment that waits for the buyer.
    ///
    /// # Errors
    /// As [`AskError`] says; refused while the provider has yet to answer, and once it is paid.
    pub async fn cancel(&self, seller: SellerId, id: PaymentId) -> Asked {
        self.rooms.ask((seller, id), |reply| Command::Cancel { reply }).await
    }

    /// Does what a payment's timer says: settle it, give up on the buyer, ask the provider
    /// again. For timers of [`TimerKind::Payment`](crate::timers::TimerKind::Payment).
    ///
    /// # Errors
    /// As [`AskError`] says; refused when nothing is due, which is no fault.
    pub async fn timer_rang(&self, seller: SellerId, id: PaymentId) -> Asked {
        let asked = self.rooms.ask((seller, id), |reply| Command::TimerRang { reply }).await;
        self.carry_on(asked, None).await
    }

    /// Makes the room of a payment panic.
    #[cfg(feature = "faults")]
    pub async fn panic(&self, seller: SellerId, id: PaymentId) -> Result<(), AskError> {
        self.rooms.ask((seller, id), |reply| Command::Panic { _reply: reply }).await
    }
}
