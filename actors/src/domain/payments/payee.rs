//! Payees and wallets in their first form: who is paid, and what is held for them (payments 2.4,
//! decisions 7 and 13).

use storage::{Record, RecordError, cbor_decode, cbor_encode};

use crate::domain::email::Email;
use crate::domain::ids::{PayeeId, SellerId, WalletId};
use crate::domain::money::Currency;
use crate::domain::time::Timestamp;

/// How far the verification of a payee is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum Verification {
    /// Nothing is decided.
    #[n(0)]
    Pending,
    /// The payee may be paid out.
    #[n(1)]
    Approved,
}

impl Verification {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
        }
    }
}

/// Someone the seller pays.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Payee {
    /// `payeeId`.
    #[n(0)]
    pub id: PayeeId,
    /// Who pays.
    #[n(1)]
    pub seller: SellerId,
    /// What the payee is called.
    #[n(2)]
    pub display_name: String,
    /// Where the payee is reached.
    #[n(3)]
    pub email: Option<Email>,
    /// Whether payouts are allowed.
    #[n(4)]
    pub verification: Verification,
    /// When the payee was made.
    #[n(5)]
    pub created_at: Timestamp,
}

/// What a wallet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum WalletType {
    /// The seller's own; it has no payee.
    #[n(0)]
    Main,
    /// A payee's share, until it is paid out.
    #[n(1)]
    CashoutBalance,
}

impl WalletType {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::CashoutBalance => "cashout_balance",
        }
    }
}

/// Whether a wallet may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
#[cbor(index_only)]
pub enum WalletStatus {
    /// In use.
    #[n(0)]
    Active,
    /// Its payee is archived.
    #[n(1)]
    Closed,
}

impl WalletStatus {
    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Closed => "closed",
        }
    }
}

/// Money of one currency held for a payee or for the seller. Balances are minor units; a
/// payee's available balance may be negative after refunds (decisions 7).
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Wallet {
    /// `walletId`.
    #[n(0)]
    pub id: WalletId,
    /// Whose payee, or whose own wallet, it is.
    #[n(1)]
    pub seller: SellerId,
    /// For whom; the seller's main wallet has none.
    #[n(2)]
    pub payee: Option<PayeeId>,
    /// The one currency it holds.
    #[n(3)]
    pub currency: Currency,
    /// What it is for.
    #[n(4)]
    pub wallet_type: WalletType,
    /// Settled and not reserved.
    #[n(5)]
    pub available_minor: i64,
    /// Of payments that have not settled.
    #[n(6)]
    pub pending_minor: i64,
    /// In open payouts.
    #[n(7)]
    pub reserved_minor: i64,
    /// Whether it may be used.
    #[n(8)]
    pub status: WalletStatus,
}

impl Payee {
    /// A payee that is approved from the start, as minted accounts have them.
    pub fn approved(id: PayeeId, seller: SellerId, display_name: &str, now: Timestamp) -> Self {
        Self {
            id,
            seller,
            display_name: display_name.to_owned(),
            email: None,
            verification: Verification::Approved,
            created_at: now,
        }
    }
}

impl Wallet {
    /// An empty wallet: of `payee`, or without one the seller's main wallet.
    pub fn empty(
        id: WalletId,
        seller: SellerId,
        payee: Option<PayeeId>,
        currency: Currency,
    ) -> Self {
        let wallet_type =
            if payee.is_some() { WalletType::CashoutBalance } else { WalletType::Main };
        Self {
            id,
            seller,
            payee,
            currency,
            wallet_type,
            available_minor: 0,
            pending_minor: 0,
            reserved_minor: 0,
            status: WalletStatus::Active,
        }
    }
}

impl Record for Payee {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        cbor_encode(self)
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        cbor_decode(bytes)
    }
}

impl Record for Wallet {
    const VERSION: u8 = 1;

    fn encode(&self) -> Vec<u8> {
        cbor_encode(self)
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        cbor_decode(bytes)
    }
}
