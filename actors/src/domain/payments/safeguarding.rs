//! Safeguarding accounts: the bank accounts that a seller's top-ups are paid to, one for each
//! currency.

use storage::CborRecord;

use crate::domain::ids::SellerId;
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::payments::bank::BankRefusal;
use crate::domain::payments::wallet::wallet_currency;
use crate::domain::platform::seller::Mode;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Timestamp;

/// The account of minted accounts; its bank gives it out for examples.
const SANDBOX_IBAN: &str = "DE02120300000000202051";
const SANDBOX_NAME: &str = "Accrue Safeguarding (demo)";

names! {
    SafeguardingStatus;
    0 Active = "active",
    /// No more top-ups are asked for; what was asked for before is still taken.
    1 Closed = "closed",
}

/// Where money is to be sent. It is shown in full: whoever tops up must be able to pay it.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct BankDetails {
    #[n(0)]
    pub account_name: String,
    /// The account, without blanks.
    #[n(1)]
    pub iban: String,
    #[n(2)]
    pub bic: Option<String>,
    #[n(3)]
    pub bank_name: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SafeguardingAccount {
    #[n(0)]
    pub seller: SellerId,
    #[n(1)]
    pub currency: Currency,
    #[n(2)]
    pub status: SafeguardingStatus,
    #[n(3)]
    pub mode: Mode,
    #[n(4)]
    pub bank: BankDetails,
    #[n(5)]
    pub opened_at: Timestamp,
    #[n(6)]
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeguardingTerms {
    pub bank: BankDetails,
    pub status: SafeguardingStatus,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SafeguardingRefusal {
    #[error("currency must be EUR, GBP or USD")]
    Currency,
    #[error("{0} is required")]
    Required(&'static str),
    #[error("{0}")]
    Bank(#[from] BankRefusal),
    #[error("status must be active or closed")]
    Status,
}

impl SafeguardingAccount {
    pub fn of_sandbox(seller: SellerId, now: Timestamp) -> Self {
        Self {
            seller,
            currency: Currency::EUR,
            status: SafeguardingStatus::Active,
            mode: Mode::Demo,
            bank: BankDetails {
                account_name: SANDBOX_NAME.to_owned(),
                iban: SANDBOX_IBAN.to_owned(),
                bic: None,
                bank_name: None,
            },
            opened_at: now,
            updated_at: now,
        }
    }

    /// What `terms` make of the account that is `known`, or of a new one. An account of another
    /// mode is replaced: its money was of another kind.
    pub fn set(
        known: Option<&Self>,
        (seller, currency): (SellerId, Currency),
        terms: SafeguardingTerms,
        mode: Mode,
        now: Timestamp,
    ) -> Self {
        let kept = known.filter(|account| account.mode == mode);
        let SafeguardingTerms { bank, status } = terms;
        if let Some(same) = kept.filter(|kept| kept.bank == bank && kept.status == status) {
            return same.clone();
        }
        let opened_at = kept.map_or(now, |account| account.opened_at);
        Self { seller, currency, status, mode, bank, opened_at, updated_at: now }
    }

    pub fn is_active(&self, mode: Mode) -> bool {
        self.status == SafeguardingStatus::Active && self.mode == mode
    }
}

/// The currency of a safeguarding account, which is one that wallets have.
pub fn safeguarding_currency(code: &str) -> Result<Currency, SafeguardingRefusal> {
    wallet_currency(code).ok_or(SafeguardingRefusal::Currency)
}

impl Refuse for SafeguardingRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Currency | Self::Required(_) | Self::Status => RefusalKind::Invalid,
            Self::Bank(refusal) => refusal.kind(),
        }
    }
}

impl CborRecord for SafeguardingAccount {}

#[cfg(test)]
mod tests;
