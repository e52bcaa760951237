//! What can be asked of a payment room.

use super::initiate::Initiated;
use crate::domain::ids::{DecisionId, RefundId};
use crate::domain::payments::payment::{
    BuyerAnswer, NewAttempt, NewPayment, NewRefund, Payment, ProviderOutcome, Refund,
};
use crate::domain::payments::source::Source;
use crate::domain::payments::split::Inputs;
use crate::domain::refusal::Refusal;
use crate::room::Reply;
use crate::seller::{SpendKey, Spent};

/// The port for a payment or a refusal.
pub(super) type Answer = Reply<Result<Payment, Refusal>>;

/// The port for what is written under a key of the payments surface.
pub(super) type SpentAnswer<T> = Reply<Result<Spent<T>, Refusal>>;

/// What can be asked of a payment room. Most answer the payment as it is afterwards.
#[derive(Debug)]
pub enum Command {
    /// Begins the payment.
    Start { start: Box<Start>, reply: Reply<Result<Initiated, Refusal>> },
    /// Takes the provider's answer to the call of this key.
    Answered { key: String, outcome: ProviderOutcome, reply: Answer },
    /// Waits until no call that this process makes is open.
    Settled { reply: Answer },
    /// Tries a payment again that failed for a passing reason.
    TryAgain { reply: Answer },
    /// Takes the buyer's answer to the challenge.
    BuyerAnswered { answer: BuyerAnswer, reply: Answer },
    /// Begins an attempt at the payment's checkout.
    Attempt { attempt: Box<NewAttempt>, reply: Answer },
    /// Goes on after the buyer's approval.
    Finalize { minor: Option<i64>, spend: SpendKey, reply: SpentAnswer<Payment> },
    /// Takes some of what is held.
    Capture { minor: Option<i64>, last: bool, spend: SpendKey, reply: SpentAnswer<Payment> },
    /// Begins a refund.
    Refund { new: Box<NewRefund>, spend: SpendKey, reply: SpentAnswer<(Payment, Refund)> },
    /// Tries a refund again that came too early.
    RefundAgain { refund: RefundId, reply: Answer },
    /// Gives the payment up.
    Cancel { reply: Answer },
    /// Takes what a person found out about the open call.
    Resolve { outcome: ProviderOutcome, reply: Answer },
    /// The provider has made the amount available.
    FundsAvailable { reply: Answer },
    /// The provider has not made it available yet.
    FundsPending { reply: Answer },
    /// Does what is due.
    TimerRang { reply: Answer },
    /// Makes the room panic.
    #[cfg(feature = "faults")]
    Panic { _reply: Reply<Result<(), Refusal>> },
}

/// All that a payment begins with.
#[derive(Clone, Debug)]
pub struct Start {
    /// The payment.
    pub new: NewPayment,
    /// What the money is taken from; `None` for a session.
    pub source: Option<Source>,
    /// How it is shared, and the id of the record that tells so.
    pub split: Option<(DecisionId, Inputs)>,
    /// The key that opening a session spends.
    pub spend: Option<SpendKey>,
}
