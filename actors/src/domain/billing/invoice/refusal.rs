//! Why an invoice is not made, sent or moved.

use crate::domain::billing::invoice::{InvoiceStatus, InvoiceType, Origin};
use crate::domain::money::{Currency, MoneyError};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Date;

/// A refusal of the invoice rules; the text names the field at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvoiceRefusal {
    /// Every origin but `adhoc` bills a contract.
    #[error("contractId is required for origin {0}")]
    ContractRequired(Origin),
    /// An ad-hoc invoice finds its contract by the recipient.
    #[error("contractId is not accepted for origin adhoc")]
    ContractNotAccepted,
    /// The origin bills what the caller states.
    #[error("lines are required for origin {0}")]
    LinesRequired(Origin),
    /// The origin makes its lines itself.
    #[error("lines are not accepted for origin {0}")]
    LinesNotAccepted(Origin),
    /// More lines than a document carries.
    #[error("lines may hold at most {0} items")]
    TooManyLines(usize),
    /// One field of one line is wrong.
    #[error("lines[{index}].{field} {problem}")]
    Line {
        /// Which line, counted from 0.
        index: usize,
        /// The field's name on the wire.
        field: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// An ad-hoc invoice has no contract to take the currency from.
    #[error("currency is required for origin adhoc")]
    CurrencyRequired,
    /// Contracts are not kept in this currency.
    #[error("currency {0} is not supported")]
    CurrencyNotSupported(Currency),
    /// The contract is kept in another currency.
    #[error("currency must be the contract's, {0}")]
    CurrencyMismatch(Currency),
    /// An ad-hoc invoice has no contract to take the recipient from.
    #[error("billTo.email is required for origin adhoc")]
    EmailRequired,
    /// Not a plain address.
    #[error("billTo.email must be a plain e-mail address")]
    EmailMalformed,
    /// A text is longer than its field.
    #[error("{field} may have at most {longest} characters")]
    TooLong {
        /// The field's name on the wire.
        field: &'static str,
        /// In characters.
        longest: usize,
    },
    /// A correcting document names what it corrects.
    #[error("corrects is required for invoiceType {0}")]
    CorrectsRequired(InvoiceType),
    /// Nothing is corrected by this type.
    #[error("corrects is not accepted for invoiceType {0}")]
    CorrectsNotAccepted(InvoiceType),
    /// The document would be due before it exists.
    #[error("dueDate is before the issue date, {0}")]
    DueBeforeIssue(Date),
    /// An amount passes 10^15 minor units.
    #[error("lines amount to more than 10^15 minor units")]
    TooLarge,
    /// Documents of this type are not issued by this version.
    #[error("invoiceType {0} is not available yet")]
    TypeNotAvailable(InvoiceType),
    /// The origin has nothing left to bill.
    #[error("nothing is due: the contract has no unbilled {}", match .0 {
        Origin::Usage => "closed usage",
        _ => "subscription term",
    })]
    NothingDue(Origin),
    /// Deductions pass the charges.
    #[error("lines amount to less than 0 with tax")]
    NegativeTotal,
    /// What is collected by bank transfer has no payment link.
    #[error("send does not apply: the invoice is collected by bank transfer")]
    SendOfBankTransfer,
    /// The document cannot be sent as it stands.
    #[error("send does not apply: the invoice is {0}")]
    SendOf(InvoiceStatus),
    /// The document takes no money as it stands.
    #[error("the invoice is {0} and takes no payment")]
    PaymentOf(InvoiceStatus),
    /// Payments are above zero.
    #[error("a payment must be above 0")]
    PaymentOfNothing,
}

impl Refuse for InvoiceRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::TypeNotAvailable(_)
            | Self::NothingDue(_)
            | Self::NegativeTotal
            | Self::SendOfBankTransfer
            | Self::SendOf(_) => RefusalKind::Unprocessable,
            Self::PaymentOf(_) => RefusalKind::Conflict,
            _ => RefusalKind::Invalid,
        }
    }
}

impl From<MoneyError> for InvoiceRefusal {
    fn from(_: MoneyError) -> Self {
        Self::TooLarge
    }
}
