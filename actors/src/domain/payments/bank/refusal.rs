use super::BankAccountType;
use crate::domain::money::Currency;
use crate::domain::refusal::{RefusalKind, Refuse};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BankRefusal {
    #[error("{0} is required")]
    Required(&'static str),
    #[error("currency must be EUR, GBP or USD")]
    Currency,
    #[error("currency {currency} cannot be paid to bankAccountType {kind}")]
    CurrencyOfKind { currency: Currency, kind: BankAccountType },
    #[error("type must be bank_account")]
    Type,
    #[error("bankAccountType must be iban, uk_local, us_local or swift")]
    Kind,
    #[error("bankCountry must be an ISO 3166-1 alpha-2 country code")]
    Country,
    #[error("bankCountry must be {0}")]
    CountryMustBe(String),
    #[error("iban must be a valid IBAN")]
    Iban,
    #[error("accountNumber must have {0}")]
    AccountNumber(&'static str),
    #[error("sortCode must have 6 digits")]
    SortCode,
    #[error("routingNumber must be a valid ABA routing number")]
    RoutingNumber,
    /// No BIC; the field is the one that was sent.
    #[error("{0} must be a valid BIC")]
    Bic(&'static str),
    #[error("{field} must have at most {max} characters")]
    TooLong { field: &'static str, max: usize },
}

impl Refuse for BankRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}
