//! A card as it was typed, and all that is wrong with it at once.

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use super::{Brand, CardAddress, CardData, Expiry};
use crate::domain::country::Country;
use crate::domain::refusal::{RefusalKind, Refuse};

/// The longest post code, in characters.
pub const ZIP_LIMIT: usize = 16;

/// The longest name a card holder may have, in characters.
pub const HOLDER_LIMIT: usize = 80;

/// A card as it was typed or sent, before any check; an empty text says that none was given.
#[derive(Clone, Default)]
pub struct CardInput {
    /// The number; spaces and hyphens between digits are ignored.
    pub number: SecretString,
    pub cvv: SecretString,
    pub exp_month: Option<i64>,
    /// The year of expiry with its century, if it is a number at all.
    pub exp_year: Option<i64>,
    pub holder: String,
    pub country: String,
    pub zip: String,
}

impl fmt::Debug for CardInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CardInput").finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CardField {
    Number,
    ExpMonth,
    ExpYear,
    Cvv,
    Holder,
    Country,
    Zip,
}

impl CardField {
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "cardNumber",
            Self::ExpMonth => "expMonth",
            Self::ExpYear => "expYear",
            Self::Cvv => "cvv",
            Self::Holder => "holderName",
            Self::Country => "country",
            Self::Zip => "zip",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CardProblem {
    #[error("cardNumber is required")]
    NumberMissing,
    #[error("cardNumber must have 12 to 19 digits")]
    NumberShape,
    #[error("cardNumber is not a valid card number")]
    NumberChecksum,
    #[error("expMonth must be 1 to 12")]
    ExpMonth,
    #[error("expYear must be 2000 to 2099")]
    ExpYear,
    #[error("cvv must have 3 or 4 digits")]
    Cvv,
    #[error("holderName must have at most 80 characters")]
    HolderLong,
    #[error("holderName must consist of ASCII letters, spaces, apostrophes, dots and hyphens only")]
    HolderCharacters,
    #[error("country must be an ISO 3166-1 alpha-2 code")]
    Country,
    #[error("zip must have at most 16 characters")]
    ZipLong,
}

impl CardProblem {
    pub fn field(self) -> CardField {
        match self {
            Self::NumberMissing | Self::NumberShape | Self::NumberChecksum => CardField::Number,
            Self::ExpMonth => CardField::ExpMonth,
            Self::ExpYear => CardField::ExpYear,
            Self::Cvv => CardField::Cvv,
            Self::HolderLong | Self::HolderCharacters => CardField::Holder,
            Self::Country => CardField::Country,
            Self::ZipLong => CardField::Zip,
        }
    }
}

impl Refuse for CardProblem {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}

impl CardInput {
    /// The card, or everything that is wrong: at most one problem a field, in the order of the
    /// fields.
    pub fn check(self) -> Result<CardData, Vec<CardProblem>> {
        let digits = self.digits();
        let number = check_number(digits.expose_secret());
        let month = in_range(self.exp_month, 1, 12).ok_or(CardProblem::ExpMonth);
        let year = in_range(self.exp_year, 2000, 2099).ok_or(CardProblem::ExpYear);
        let cvv = check_cvv(self.cvv.expose_secret());
        let holder = check_holder(self.holder.trim());
        let address = check_address(self.country.trim(), self.zip.trim());
        match (number, month, year, cvv, holder, address) {
            (Ok(()), Ok(month), Ok(year), Ok(()), Ok(holder), Ok(address)) => Ok(CardData {
                brand: Brand::of(digits.expose_secret()),
                number: digits,
                cvv: self.cvv,
                expiry: Expiry { year, month },
                holder,
                address,
            }),
            (number, month, year, cvv, holder, address) => {
                let card = [number.err(), month.err(), year.err(), cvv.err(), holder.err()];
                let address = address.err().unwrap_or_default();
                Err(card.into_iter().flatten().chain(address).collect())
            }
        }
    }

    /// The number without the spaces and hyphens people type between its groups.
    fn digits(&self) -> SecretString {
        let typed = self.number.expose_secret();
        let kept = || typed.chars().filter(|c| !matches!(c, ' ' | '-' | '\u{a0}'));
        // Of exactly the right size, so that no half-grown copy is left behind in memory.
        let mut digits = String::with_capacity(kept().map(char::len_utf8).sum());
        digits.extend(kept());
        SecretString::from(digits)
    }
}

fn check_number(digits: &str) -> Result<(), CardProblem> {
    if digits.is_empty() {
        return Err(CardProblem::NumberMissing);
    }
    if !(12..=19).contains(&digits.len()) || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(CardProblem::NumberShape);
    }
    if luhn_holds(digits) { Ok(()) } else { Err(CardProblem::NumberChecksum) }
}

/// Whether the last digit of `digits` is the Luhn check digit of those before it. Text with
/// anything but digits, or with none, never holds.
fn luhn_holds(digits: &str) -> bool {
    let mut sum = 0;
    for (place, byte) in digits.bytes().rev().enumerate() {
        if !byte.is_ascii_digit() {
            return false;
        }
        let digit = u32::from(byte - b'0');
        let weighed = if place % 2 == 1 { digit * 2 } else { digit };
        sum += weighed / 10 + weighed % 10;
    }
    !digits.is_empty() && sum % 10 == 0
}

fn check_cvv(code: &str) -> Result<(), CardProblem> {
    let right = matches!(code.len(), 3 | 4) && code.bytes().all(|b| b.is_ascii_digit());
    if right { Ok(()) } else { Err(CardProblem::Cvv) }
}

fn check_holder(name: &str) -> Result<Option<String>, CardProblem> {
    if name.chars().count() > HOLDER_LIMIT {
        return Err(CardProblem::HolderLong);
    }
    let allowed = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | '\'' | '.' | '-');
    if !name.chars().all(allowed) {
        return Err(CardProblem::HolderCharacters);
    }
    Ok((!name.is_empty()).then(|| name.to_owned()))
}

fn check_address(country: &str, zip: &str) -> Result<CardAddress, Vec<CardProblem>> {
    let known = Country::parse(&country.to_ascii_uppercase());
    let country_wrong = known.is_none() && !country.is_empty();
    let zip_wrong = zip.chars().count() > ZIP_LIMIT;
    if !country_wrong && !zip_wrong {
        let zip = (!zip.is_empty()).then(|| zip.to_owned());
        return Ok(CardAddress { country: known, zip });
    }
    let country = country_wrong.then_some(CardProblem::Country);
    Err(country.into_iter().chain(zip_wrong.then_some(CardProblem::ZipLong)).collect())
}

fn in_range<T: TryFrom<i64>>(value: Option<i64>, least: i64, most: i64) -> Option<T> {
    value.filter(|v| (least..=most).contains(v)).and_then(|v| T::try_from(v).ok())
}

#[cfg(test)]
mod tests;
