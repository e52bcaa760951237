//! What can be asked of a payee room, and what it answers.

use super::vendors;
use crate::delivery::DeliveryPool;
use crate::directory::Directory;
use crate::domain::ids::{MessageId, PayoutId, PayoutMethodId};
use crate::domain::messages::PayeeMessage;
use crate::domain::money::Currency;
use crate::domain::payments::bank::BankAccount;
use crate::domain::payments::payee::{Decision, NewPayee, Payee, PayeePatch};
use crate::domain::payments::payout::{Action, Payout, PayoutOrder};
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::address::AddressGuard;
use crate::domain::refusal::Refusal;
use crate::room::Reply;
use crate::secrets::SecretBox;
use crate::seller::{SpendKey, Spent};

/// What all payee rooms work with.
#[derive(Debug)]
pub struct PayeeTools {
    /// The sellers with their webhooks.
    pub directory: Directory,
    /// Told of deliveries.
    pub deliveries: DeliveryPool,
    /// Seals account and tax numbers, and the secrets of call-backs.
    pub secrets: SecretBox,
    /// Which addresses call-backs may name.
    pub guard: AddressGuard,
    /// How long the verification of a demo payee takes (`payments.verification_seconds`).
    pub verification_seconds: i64,
    /// How long a demo payout is under way (`payments.payout_seconds`).
    pub payout_seconds: i64,
}

/// A payee to be made, alone or with its first payout method and wallet: all of it or nothing.
#[derive(Clone, Debug)]
pub struct PayeeOrder {
    /// The payee.
    pub payee: NewPayee,
    /// Its first payout method.
    pub method: Option<BankAccount>,
    /// The currency of its first wallet.
    pub wallet: Option<Currency>,
}

/// What was made of a [`PayeeOrder`].
#[derive(Clone, Debug)]
pub struct Opened {
    /// The payee.
    pub payee: Payee,
    /// Its payout method, if one was ordered.
    pub method: Option<PayoutMethod>,
    /// Its wallet, if one was ordered.
    pub wallet: Option<Wallet>,
}

/// The outcome of asking for a payout.
#[derive(Clone, Debug)]
pub enum Paid {
    /// It was made.
    Made {
        /// The payout.
        payout: Box<Payout>,
        /// The secret of its call-back, shown once.
        secret: Option<String>,
    },
    /// The key had made one before; nothing was written now.
    Before,
}

pub(super) type Answer<T> = Reply<Result<T, Refusal>>;

/// What can be asked of a payee room.
#[derive(Debug)]
pub enum Command {
    /// Makes a payee as minted accounts have them.
    Open { payee: Box<Payee>, wallets: Vec<Wallet>, reply: Answer<()> },
    /// Makes the wallet of a minted account that is the seller's own.
    OpenOwn { wallet: Box<Wallet>, reply: Answer<()> },
    /// Makes a payee.
    Create { order: Box<PayeeOrder>, spend: SpendKey, reply: Answer<Spent<Opened>> },
    /// Changes it.
    Patch { patch: Box<PayeePatch>, reply: Answer<Payee> },
    /// Archives it.
    Archive { reply: Answer<()> },
    /// Takes the operator's decision on it.
    Decide { decision: Decision, reply: Answer<Payee> },
    /// Adds a payout method.
    AddMethod { account: Box<BankAccount>, spend: SpendKey, reply: Answer<Spent<PayoutMethod>> },
    /// Finds or makes a payout method of the seller itself.
    SaveOwnMethod { account: Box<BankAccount>, reply: Answer<PayoutMethod> },
    /// Deletes a payout method.
    DeleteMethod { method: PayoutMethodId, reply: Answer<()> },
    /// Finds or makes its wallet in a currency; true when it was made.
    ProvideWallet { currency: Currency, spend: SpendKey, reply: Answer<Spent<(Wallet, bool)>> },
    /// Makes a payout.
    Pay { order: Box<PayoutOrder>, key: String, reply: Answer<Paid> },
    /// Moves a payout on.
    MovePayout { payout: PayoutId, action: Action, reply: Answer<Payout> },
    /// Takes messages from other rooms.
    Take { letters: Vec<(MessageId, PayeeMessage)>, reply: Answer<()> },
    /// Something of the vendor that it is, or is to be.
    Vendor(vendors::Command),
    /// Does what is due.
    TimerRang { reply: Answer<()> },
    /// Makes the room panic.
    #[cfg(feature = "faults")]
    Panic { _reply: Reply<Result<(), Refusal>> },
}
