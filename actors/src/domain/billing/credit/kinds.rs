//! The closed lists of stored credit with their names on the wire.

use storage::{Key, KeyError, KeyReader, KeyWriter};

use crate::domain::names::names;

names! {
    CreditType;
    0 Promotional = "promotional",
    1 Purchased = "purchased",
    2 Manual = "manual",
    3 Gift = "gift",
    4 Enterprise = "enterprise",
    5 AiToken = "ai_token",
    6 Marketplace = "marketplace",
    /// Of plan changes and cancels; nobody grants it by hand.
    7 Proration = "proration",
}

names! {
    /// What an entry of the ledger does.
    CreditKind;
    /// Makes a lot.
    0 Topup = "topup",
    /// Pays for an invoice.
    1 Deduction = "deduction",
    /// Forfeits what is left of a lot.
    2 Expiry = "expiry",
    /// Takes back what was made of a payment that failed at settlement, or of a pack that a credit
    /// note took back.
    14 Reversal = "reversal",
}

impl CreditType {
    /// Whether somebody has paid for it. Only what was granted can expire.
    pub fn is_liability(self) -> bool {
        matches!(self, Self::Purchased | Self::Enterprise | Self::Proration)
    }
}

impl Key for CreditType {
    fn write(&self, out: &mut KeyWriter) {
        (*self as u8).write(out);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        let number = u8::read(from)?;
        let known = Self::ALL.iter().find(|kind| **kind as u8 == number);
        known.copied().ok_or(KeyError::Invalid("a type of credit"))
    }
}
