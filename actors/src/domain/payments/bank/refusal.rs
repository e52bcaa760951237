//! What the rules of bank accounts refuse.

use super::BankAccountType;
use crate::domain::money::Currency;
use crate::domain::refusal::{RefusalKind, Refuse};

/// What is wrong with a bank account; each text names the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BankRefusal {
    /// A field that this kind of account needs was not sent.
    #[error("{0} is required")]
    Required(&'static str),
    /// The currency is not paid out.
    #[error("currency must be EUR, GBP or USD")]
    Currency,
    /// The currency is not sent to this kind of account.
    #[error("currency {currency} cannot be paid to bankAccountType {kind}")]
    CurrencyOfKind {
        /// What was to be paid.
        currency: Currency,
        /// The kind of account.
        kind: BankAccountType,
    },
    /// Another type of method.
    #[error("type must be bank_account")]
    Type,
    /// Another kind of account.
    #[error("bankAccountType must be iban, uk_local, us_local or swift")]
    Kind,
    /// No country.
    #[error("bankCountry must be an ISO 3166-1 alpha-2 country code")]
    Country,
    /// A country in which there are no such accounts, or not the one of the IBAN.
    #[error("bankCountry must be {0}")]
    CountryMustBe(String),
    /// The IBAN is of no country's form, or its check digits are wrong.
    #[error("iban must be a valid IBAN")]
    Iban,
    /// The number is not of its kind's form.
    #[error("accountNumber must have {0}")]
    AccountNumber(&'static str),
    /// Not six digits.
    #[error("sortCode must have 6 digits")]
    SortCode,
    /// No routing number.
    #[error("routingNumber must be a valid ABA routing number")]
    RoutingNumber,
    /// No BIC; the field is the one that was sent.
    #[error("{0} must be a valid BIC")]
    Bic(&'static str),
    /// A text is too long.
    #[error("{field} must have at most {max} characters")]
    TooLong {
        /// The JSON name of the field.
        field: &'static str,
        /// How many characters it may have.
        max: usize,
    },
}

impl Refuse for BankRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}
