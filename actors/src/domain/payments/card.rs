//! Cards: what is checked before a provider is asked, and the little that may be kept. The number
//! and the code live in memory only, hidden from `Debug` and wiped when dropped.

mod brand;
mod check;

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use crate::domain::country::Country;
use crate::domain::time::Date;

pub use brand::Brand;
pub use check::{CardField, CardInput, CardProblem, HOLDER_LIMIT, ZIP_LIMIT};

/// A month of a year: cards are good to its last day.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, minicbor::Encode, minicbor::Decode,
)]
pub struct Expiry {
    /// 2000 to 2099.
    #[n(0)]
    pub year: u16,
    /// 1 to 12.
    #[n(1)]
    pub month: u8,
}

impl Expiry {
    /// Whether the card is no longer good on `today`: its month has ended.
    pub fn is_over(self, today: Date) -> bool {
        let (year, month, _) = today.parts();
        (i32::from(self.year), u32::from(self.month)) < (year, month)
    }
}

/// A card whose fields have been checked. It may have expired: that is an outcome of the
/// payment, not a wrong field.
pub struct CardData {
    number: SecretString,
    cvv: SecretString,
    pub brand: Brand,
    pub expiry: Expiry,
    pub holder: Option<String>,
    pub address: CardAddress,
}

/// What a bank compares with what it holds (AVS).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardAddress {
    pub country: Option<Country>,
    pub zip: Option<String>,
}

impl CardData {
    /// The digits of the number, for the processor alone.
    pub fn number(&self) -> &str {
        self.number.expose_secret()
    }

    /// The security code, for the processor alone.
    pub fn cvv(&self) -> &str {
        self.cvv.expose_secret()
    }

    pub fn summary(&self) -> CardSummary {
        let digits = self.number();
        CardSummary {
            brand: self.brand,
            first6: digits.chars().take(6).collect(),
            last4: digits[digits.len().saturating_sub(4)..].to_owned(),
            expiry: self.expiry,
        }
    }
}

impl fmt::Debug for CardData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CardData")
            .field("brand", &self.brand)
            .field("expiry", &self.expiry)
            .finish_non_exhaustive()
    }
}

/// What is kept of a card: never the whole number, never the code, no name.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct CardSummary {
    #[n(0)]
    pub brand: Brand,
    /// The first six digits: bank and product.
    #[n(1)]
    pub first6: String,
    #[n(2)]
    pub last4: String,
    #[n(3)]
    pub expiry: Expiry,
}
