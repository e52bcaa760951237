//! Cards: what is checked before a provider is asked, and the little that may be kept. The number
//! and the code live in memory only, hidden from `Debug` and wiped when dropped.

mod check;

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use crate::domain::country::Country;
use crate::domain::names::names;
use crate::domain::time::Date;

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

names! {
    Brand;
    0 Unknown = "unknown",
    1 Visa = "visa",
    2 Mastercard = "mastercard",
    3 Amex = "amex",
    4 Discover = "discover",
    5 Diners = "diners",
    6 Jcb = "jcb",
    7 UnionPay = "unionpay",
    8 Maestro = "maestro",
}

impl Brand {
    /// The brand of a number of at least six digits, by its first six.
    pub fn of(digits: &str) -> Self {
        let first = |count: usize| digits.get(..count).and_then(|d| d.parse::<u32>().ok());
        let (Some(six), Some(four), Some(two)) = (first(6), first(4), first(2)) else {
            return Self::Unknown;
        };
        match (two, four, six) {
            (40..=49, _, _) => Self::Visa,
            (51..=55, _, _) | (_, 2221..=2720, _) => Self::Mastercard,
            (34 | 37, _, _) => Self::Amex,
            (_, 3528..=3589, _) => Self::Jcb,
            (36 | 38 | 39, _, _) | (_, 3000..=3059, _) => Self::Diners,
            (64 | 65, _, 644_000..) | (_, 6011, _) => Self::Discover,
            (62 | 81, _, _) => Self::UnionPay,
            (50 | 56..=58, _, _) | (_, 6304 | 6759 | 6761..=6763, _) => Self::Maestro,
            _ => Self::Unknown,
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Self::Unknown => "Card",
            Self::Visa => "Visa",
            Self::Mastercard => "Mastercard",
            Self::Amex => "American Express",
            Self::Discover => "Discover",
            Self::Diners => "Diners Club",
            Self::Jcb => "JCB",
            Self::UnionPay => "UnionPay",
            Self::Maestro => "Maestro",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_name_the_brand() {
        for (number, brand) in [
            ("4242424242424242", Brand::Visa),
            ("5555555555554444", Brand::Mastercard),
            ("2221000000000009", Brand::Mastercard),
            ("2720999999999996", Brand::Mastercard),
            ("2721000000000004", Brand::Unknown),
            ("378282246310005", Brand::Amex),
            ("6011111111111117", Brand::Discover),
            ("6440000000000000", Brand::Discover),
            ("6430000000000000", Brand::Unknown),
            ("30569309025904", Brand::Diners),
            ("36227206271667", Brand::Diners),
            ("3530111333300000", Brand::Jcb),
            ("6200000000000005", Brand::UnionPay),
            ("6759649826438453", Brand::Maestro),
            ("9999999999999995", Brand::Unknown),
            ("42", Brand::Unknown),
        ] {
            assert_eq!(Brand::of(number), brand, "{number}");
        }
    }
}
