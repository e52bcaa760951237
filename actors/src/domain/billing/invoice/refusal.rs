//! Why an invoice is not made, sent or moved.

use crate::domain::billing::invoice::{InvoiceStatus, InvoiceType, Origin};
use crate::domain::country::Country;
use crate::domain::money::{Currency, MoneyError};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Date;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvoiceRefusal {
    #[error("contractId is required for origin {0}")]
    ContractRequired(Origin),
    #[error("contractId is not accepted for origin adhoc")]
    ContractNotAccepted,
    #[error("lines are required for origin {0}")]
    LinesRequired(Origin),
    #[error("lines are not accepted for origin {0}")]
    LinesNotAccepted(Origin),
    #[error("lines may hold at most {0} items")]
    TooManyLines(usize),
    #[error("lines[{index}].{field} {problem}")]
    Line { index: usize, field: &'static str, problem: &'static str },
    #[error("currency is required for origin adhoc")]
    CurrencyRequired,
    #[error("currency {0} is not supported")]
    CurrencyNotSupported(Currency),
    #[error("currency must be the contract's, {0}")]
    CurrencyMismatch(Currency),
    #[error("billTo.email is required for origin adhoc")]
    EmailRequired,
    #[error("billTo.email must be a plain e-mail address")]
    EmailMalformed,
    #[error("billTo.taxId is no VAT id of {0}")]
    NoVatId(Country),
    #[error("{field} may have at most {longest} characters")]
    TooLong { field: &'static str, longest: usize },
    #[error("corrects is required for invoiceType {0}")]
    CorrectsRequired(InvoiceType),
    #[error("corrects is not accepted for invoiceType {0}")]
    CorrectsNotAccepted(InvoiceType),
    #[error("dueDate is before the issue date, {0}")]
    DueBeforeIssue(Date),
    #[error("lines amount to more than 10^15 minor units")]
    TooLarge,
    #[error("taxCategory O cannot stand beside others on one document")]
    OutOfScopeBesideOthers,
    #[error("lines may have at most {0} tax rates together")]
    TooManyTaxRates(usize),
    #[error("invoiceType {0} is not available yet")]
    TypeNotAvailable(InvoiceType),
    #[error("nothing is due: the contract has no unbilled {}", match .0 {
        Origin::Usage => "closed usage",
        _ => "subscription term",
    })]
    NothingDue(Origin),
    #[error("lines amount to less than 0 with tax")]
    NegativeTotal,
    #[error("send does not apply: the invoice is collected by bank transfer")]
    SendOfBankTransfer,
    #[error("send does not apply: the invoice is {0}")]
    SendOf(InvoiceStatus),
    #[error("the invoice is {0} and takes no payment")]
    PaymentOf(InvoiceStatus),
    #[error("a payment must be above 0")]
    PaymentOfNothing,
    #[error("the invoice was paid in {0} parts and takes no further one")]
    TooManyPayments(usize),
}

impl Refuse for InvoiceRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::TypeNotAvailable(_)
            | Self::NothingDue(_)
            | Self::NegativeTotal
            | Self::OutOfScopeBesideOthers
            | Self::SendOfBankTransfer
            | Self::SendOf(_) => RefusalKind::Unprocessable,
            Self::PaymentOf(_) | Self::TooManyPayments(_) => RefusalKind::Conflict,
            _ => RefusalKind::Invalid,
        }
    }
}

impl From<MoneyError> for InvoiceRefusal {
    fn from(_: MoneyError) -> Self {
        Self::TooLarge
    }
}
