//! Bank accounts that money is sent to: how each kind is written down and checked.
//!
//! A [`BankAccount`] is sound as far as digits can tell. Its number is a secret until it is sealed:
//! a [`Destination`] keeps the last four characters and the sealed rest.

mod digits;
pub mod fields;
mod refusal;

use secrecy::{ExposeSecret, SecretString};

pub use refusal::BankRefusal;

use self::fields::AccountNumber;

use crate::domain::country::Country;
use crate::domain::money::Currency;
use crate::domain::names::names;
use crate::secrets::Sealed;

names! {
    /// How a bank account is addressed (`bankAccountType`).
    BankAccountType;
    /// By its IBAN; SEPA for EUR.
    0 Iban = "iban",
    /// By sort code and account number; Faster Payments.
    1 UkLocal = "uk_local",
    2 UsLocal = "us_local",
    /// By IBAN or account number, and the bank's BIC.
    3 Swift = "swift",
}

names! {
    NumberForm;
    0 Iban = "iban",
    1 Account = "accountNumber",
}

/// A checked bank account with its number in the clear; it is never stored like this.
#[derive(Clone, Debug)]
pub struct BankAccount {
    pub currency: Currency,
    pub kind: BankAccountType,
    pub account_name: Option<String>,
    pub bank_name: Option<String>,
    pub bank_country: Option<Country>,
    pub form: NumberForm,
    /// Its number, without blanks, letters in capitals.
    pub number: SecretString,
    pub sort_code: Option<String>,
    pub routing_number: Option<String>,
    /// 8 or 11 characters.
    pub bic: Option<String>,
}

/// Where a payout goes, as it is kept: with a payout method, and as a snapshot with a payout.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Destination {
    #[n(0)]
    pub kind: BankAccountType,
    #[n(1)]
    pub account_name: Option<String>,
    #[n(2)]
    pub bank_name: Option<String>,
    #[n(3)]
    pub bank_country: Option<Country>,
    #[n(4)]
    pub form: NumberForm,
    /// The last four characters of the number, or fewer when it is no longer than that.
    #[n(5)]
    pub last4: String,
    /// The number, sealed; dropped with the method it belongs to.
    #[n(6)]
    pub number: Option<Sealed>,
    #[n(7)]
    pub sort_code: Option<String>,
    #[n(8)]
    pub routing_number: Option<String>,
    #[n(9)]
    pub bic: Option<String>,
}

impl BankAccount {
    pub fn of_iban(currency: Currency, iban: &str) -> Result<Self, BankRefusal> {
        let number = AccountNumber::iban(Some(iban))?;
        Ok(Self {
            currency,
            kind: BankAccountType::Iban,
            account_name: None,
            bank_name: None,
            bank_country: number.country,
            form: number.form,
            number: SecretString::from(number.text),
            sort_code: None,
            routing_number: None,
            bic: None,
        })
    }

    pub fn destination(&self, seal: impl FnOnce(&str) -> Sealed) -> Destination {
        let number = self.number.expose_secret();
        Destination {
            kind: self.kind,
            account_name: self.account_name.clone(),
            bank_name: self.bank_name.clone(),
            bank_country: self.bank_country,
            form: self.form,
            last4: last_four(number),
            number: Some(seal(number)),
            sort_code: self.sort_code.clone(),
            routing_number: self.routing_number.clone(),
            bic: self.bic.clone(),
        }
    }
}

impl Destination {
    pub fn masked(&self) -> String {
        mask(&self.last4)
    }

    #[must_use]
    pub fn without_number(self) -> Self {
        Self { number: None, ..self }
    }
}

/// The last four characters of a text of more than four; of a shorter one nothing.
pub fn last_four(text: &str) -> String {
    let count = text.chars().count();
    if count > 4 { text.chars().skip(count - 4).collect() } else { String::new() }
}

pub fn mask(last: &str) -> String {
    format!("****{last}")
}

#[cfg(test)]
mod tests;
