//! Why an invoice is not made, sent or moved.

use crate::domain::billing::invoice::{InvoiceStatus, InvoiceType, Origin};
use crate::domain::billing::tax::TaxCategory;
use crate::domain::country::Country;
use crate::domain::money::{Currency, MoneyError};
use crate::domain::quantity::TaxRate;
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
    #[error("lines are required for invoiceType {0}")]
    LinesOfCorrection(InvoiceType),
    #[error("dueDate is not accepted for invoiceType {0}")]
    DueDateNotAccepted(InvoiceType),
    #[error("corrects is not the number of an issued invoice")]
    CorrectsUnknown,
    #[error("corrects is the number of a credit note, which cannot be corrected")]
    CorrectsNote,
    #[error("corrects is the number of a voided invoice, which cannot be corrected")]
    CorrectsVoided,
    #[error("{0} must be that of the corrected invoice")]
    NotAsCorrected(&'static str),
    #[error("lines[{0}].taxRate is required: the corrected invoice has several rates")]
    RateOfSeveral(usize),
    #[error(
        "lines[{0}].taxCategory is required: the corrected invoice has several categories at that \
         rate"
    )]
    CategoryOfSeveral(usize),
    #[error("lines of a credit note must amount to more than 0")]
    CreditNoteOfNothing,
    #[error(
        "lines amount to more than the corrected invoice: credit notes may take {left_minor} more \
         minor units off it"
    )]
    CreditNoteTooLarge { left_minor: i64 },
    #[error(
        "lines at {rate} % amount to more than the corrected invoice has at that rate: credit \
         notes may take {left_minor} more minor units before tax off it"
    )]
    CreditNoteBeyondRate { rate: TaxRate, left_minor: i64 },
    #[error(
        "lines of the tax category {category} amount to more than the corrected invoice has in it: \
         credit notes may take {left_minor} more minor units off it"
    )]
    CreditNoteBeyondCategory { category: TaxCategory, left_minor: i64 },
    #[error(
        "lines give back more tax than the corrected invoice has: credit notes may give back \
         {left_minor} more minor units of it"
    )]
    CreditNoteBeyondTax { left_minor: i64 },
    #[error("void does not apply: the invoice is {0}")]
    VoidOf(InvoiceStatus),
    #[error("void does not apply to a credit note")]
    VoidOfNote,
    #[error("void does not apply: a credit note corrects the invoice")]
    VoidOfCredited,
    #[error("write-off does not apply: the invoice is {0}")]
    WriteOffOf(InvoiceStatus),
    #[error("write-off does not apply to a credit note")]
    WriteOffOfNote,
    #[error("a payment of the invoice is in progress")]
    PaymentInProgress,
    #[error("nothing is due: the contract has no unbilled {}", match .0 {
        Origin::Usage => "closed usage",
        Origin::Project | Origin::Milestone => "work that is done",
        Origin::OneTime => "one-time item",
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
    #[error("contractId must be that of the draft")]
    ContractOfDraft,
    #[error("a payment must be above 0")]
    PaymentOfNothing,
    #[error("the invoice was paid in {0} parts and takes no further one")]
    TooManyPayments(usize),
    #[error("currency must be {0}, the currency of the invoice")]
    DepositCurrency(Currency),
    #[error("reference is already used for another amount")]
    DepositReferenceUsed,
    #[error("invoiceNumber is of an invoice that takes no deposits")]
    DepositNotTaken,
    #[error("the invoice has {0} deposits and takes no further one")]
    TooManyDeposits(usize),
    #[error("amountMinor is more than is outstanding, and stored credits are off")]
    SurplusWithoutCredits,
}

impl Refuse for InvoiceRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::CorrectsUnknown
            | Self::CorrectsNote
            | Self::CorrectsVoided
            | Self::NotAsCorrected(_)
            | Self::RateOfSeveral(_)
            | Self::CategoryOfSeveral(_)
            | Self::CreditNoteOfNothing
            | Self::CreditNoteTooLarge { .. }
            | Self::CreditNoteBeyondRate { .. }
            | Self::CreditNoteBeyondCategory { .. }
            | Self::CreditNoteBeyondTax { .. }
            | Self::NothingDue(_)
            | Self::NegativeTotal
            | Self::OutOfScopeBesideOthers
            | Self::SendOfBankTransfer
            | Self::SendOf(_)
            | Self::VoidOf(_)
            | Self::VoidOfNote
            | Self::VoidOfCredited
            | Self::WriteOffOf(_)
            | Self::WriteOffOfNote
            | Self::SurplusWithoutCredits => RefusalKind::Unprocessable,
            Self::PaymentOf(_)
            | Self::PaymentInProgress
            | Self::TooManyPayments(_)
            | Self::DepositReferenceUsed
            | Self::TooManyDeposits(_) => RefusalKind::Conflict,
            _ => RefusalKind::Invalid,
        }
    }
}

impl From<MoneyError> for InvoiceRefusal {
    fn from(_: MoneyError) -> Self {
        Self::TooLarge
    }
}
