//! Wallets: money of one currency held for a payee or for the seller.

use storage::CborRecord;

use crate::domain::chain::Link;
use crate::domain::ids::{PayeeId, SellerId, WalletId};
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::domain::payments::pool::Pool;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

/// The seller in the place of a payee: whose room holds the seller's own wallets, methods and
/// payouts. No payee has this id, and it is not shown.
pub const OWN: PayeeId = PayeeId(0);

names! {
    WalletType;
    0 Main = "main",
    /// A payee's share, until it is paid out.
    1 CashoutBalance = "cashout_balance",
}

names! {
    WalletStatus;
    0 Active = "active",
    /// Its payee is archived.
    1 Closed = "closed",
}

/// A wallet with its balances, which are minor units and at any time the sums of its postings.
/// After refunds they may be below zero.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Wallet {
    #[n(0)]
    pub id: WalletId,
    #[n(1)]
    pub seller: SellerId,
    /// For whom; the seller's main wallet has none.
    #[n(2)]
    pub payee: Option<PayeeId>,
    #[n(3)]
    pub currency: Currency,
    #[n(4)]
    pub wallet_type: WalletType,
    #[n(5)]
    pub available_minor: i64,
    #[n(6)]
    pub pending_minor: i64,
    #[n(7)]
    pub reserved_minor: i64,
    #[n(8)]
    pub status: WalletStatus,
    /// Which payments the available money is of; absent before any has settled.
    #[n(9)]
    pub pool: Option<Pool>,
    /// Whether its money is real; absent is demo.
    #[n(10)]
    pub mode: Option<Mode>,
    /// When it was made; absent on the first wallets of minted accounts.
    #[n(11)]
    pub created_at: Option<Timestamp>,
    /// That of the last entry of its ledger.
    #[cbor(n(12), with = "minicbor::bytes")]
    pub last_link: Option<Link>,
}

/// The currency of this code, if wallets and payouts have it.
pub fn wallet_currency(code: &str) -> Option<Currency> {
    Currency::parse(code).filter(|currency| is_paid_out(*currency))
}

fn is_paid_out(currency: Currency) -> bool {
    matches!(currency.code(), "EUR" | "GBP" | "USD")
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
            pool: None,
            mode: None,
            created_at: None,
            last_link: None,
        }
    }

    #[must_use]
    pub fn made(self, mode: Mode, now: Timestamp) -> Self {
        Self { mode: Some(mode), created_at: Some(now), ..self }
    }

    pub fn mode(&self) -> Mode {
        self.mode.unwrap_or(Mode::Demo)
    }

    /// What a payout may take now; `allowed` says whether its holder is paid out at all.
    pub fn withdrawable_minor(&self, allowed: bool) -> i64 {
        let open = allowed && self.status == WalletStatus::Active;
        if open && is_paid_out(self.currency) { self.available_minor.max(0) } else { 0 }
    }

    pub fn holds_money(&self) -> bool {
        [self.available_minor, self.pending_minor, self.reserved_minor] != [0; 3]
    }
}

impl CborRecord for Wallet {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_of_a_currency_without_payouts_cannot_be_withdrawn() {
        for (code, withdrawable) in [("EUR", 9), ("GBP", 9), ("USD", 9), ("SEK", 0), ("DKK", 0)] {
            let currency = Currency::parse(code).expect("a currency");
            let wallet = Wallet::empty(WalletId(1), SellerId(1), None, currency);
            let wallet = Wallet { available_minor: 9, ..wallet };
            assert_eq!(wallet.withdrawable_minor(true), withdrawable, "{code}");
        }
    }
}
