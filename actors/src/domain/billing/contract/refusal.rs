//! What the rules of contracts refuse.

use super::{ContractStatus, MAX_LINE_ITEMS};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Date;

/// What is wrong with one line item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineProblem {
    /// The type is missing or unknown.
    #[error(
        "componentType must be one of recurring, usage, one_time, milestone, project, \
         marketplace, credit, adjustment, hybrid"
    )]
    UnknownType,
    /// The quantity is missing or no decimal.
    #[error("quantity must be a decimal string")]
    Quantity,
    /// The configuration is something else than an object.
    #[error("componentConfig must be a JSON object")]
    NotAnObject,
    /// The configuration is too large.
    #[error("componentConfig must have at most 16 KiB")]
    TooLarge,
    /// The configuration carries a reference that callers may not set.
    #[error("componentConfig must not carry {0}")]
    Forbidden(&'static str),
    /// The amount is missing, no integer, or beyond the limit.
    #[error("componentConfig.amountMinor must be an integer within 10^15")]
    Amount,
    /// The description is no text, or too long.
    #[error("componentConfig.description must be a text of 1 to 512 characters")]
    Description,
    /// The tax rate is none.
    #[error("componentConfig.taxRate must be a percent string from 0 to 100, at most 4 decimals")]
    TaxRate,
    /// The status of the work is unknown.
    #[error("componentConfig.status must be pending or completed")]
    Status,
    /// The current version has no item of this id.
    #[error("lineItemId is not in the current version")]
    UnknownId,
    /// Two items of the amendment have this id.
    #[error("lineItemId is repeated")]
    RepeatedId,
}

impl LineProblem {
    /// This problem of the item at `index`, counted from 0.
    pub fn at(self, index: usize) -> ContractRefusal {
        ContractRefusal::LineItem { index, problem: self }
    }
}

/// Why a contract is not made or not amended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractRefusal {
    /// The customer is unknown, or another seller's.
    #[error("sellerCustomerId is not a customer of this seller")]
    UnknownCustomer,
    /// The currency is not accepted.
    #[error("currency must be one of EUR, USD, GBP, DKK, NOK, SEK")]
    Currency,
    /// The first day is too far away.
    #[error("startDate must lie between {from} and {to}")]
    StartOutsideWindow {
        /// The earliest day.
        from: Date,
        /// The latest day.
        to: Date,
    },
    /// The last day is before the first.
    #[error("endDate must not be before startDate")]
    EndBeforeStart,
    /// The last day is too far away.
    #[error("endDate must not be after {0}")]
    EndTooFar(Date),
    /// A stated end stays stated.
    #[error("endDate cannot be cleared")]
    EndCleared,
    /// A detail of the counterparty is too long.
    #[error("{field} must have at most {max} characters")]
    DetailTooLong {
        /// The JSON name of the field.
        field: &'static str,
        /// How many characters it may have.
        max: usize,
    },
    /// There are too many line items.
    #[error("lineItems must have at most {MAX_LINE_ITEMS} items")]
    TooManyLineItems,
    /// A line item is wrong.
    #[error("lineItems[{index}].{problem}")]
    LineItem {
        /// Its place in the list, counted from 0.
        index: usize,
        /// What is wrong with it.
        problem: LineProblem,
    },
    /// The base version is not a positive number.
    #[error("expectedBaseVersion must be a positive integer")]
    BaseVersion,
    /// No such status.
    #[error("status must be one of draft, active, suspended, closed")]
    UnknownStatus,
    /// Somebody else amended the contract meanwhile.
    #[error("expectedBaseVersion {expected} is not the current version {current}")]
    StaleVersion {
        /// What the amendment was based on.
        expected: u64,
        /// What is there.
        current: u64,
    },
    /// A closed contract takes no amendment.
    #[error("the contract is closed")]
    Closed,
    /// The status cannot be reached from the present one.
    #[error("status cannot change from {} to {}", .from.name(), .to.name())]
    IllegalMove {
        /// The present status.
        from: ContractStatus,
        /// The one asked for.
        to: ContractStatus,
    },
}

impl Refuse for ContractRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::StaleVersion { .. } | Self::Closed | Self::IllegalMove { .. } => {
                RefusalKind::Unprocessable
            }
            Self::UnknownCustomer
            | Self::Currency
            | Self::StartOutsideWindow { .. }
            | Self::EndBeforeStart
            | Self::EndTooFar(_)
            | Self::EndCleared
            | Self::DetailTooLong { .. }
            | Self::TooManyLineItems
            | Self::LineItem { .. }
            | Self::BaseVersion
            | Self::UnknownStatus => RefusalKind::Invalid,
        }
    }
}
