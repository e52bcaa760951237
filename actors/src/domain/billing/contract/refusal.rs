//! What the rules of contracts refuse.

use super::{ComponentType, ContractStatus, MAX_LINE_ITEMS};
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Date;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineProblem {
    #[error(
        "componentType must be one of recurring, usage, one_time, milestone, project, \
         marketplace, credit, adjustment, hybrid"
    )]
    UnknownType,
    #[error("quantity must be a decimal string")]
    Quantity,
    #[error("componentConfig must be a JSON object")]
    NotAnObject,
    #[error("componentConfig must have at most 16 KiB")]
    TooLarge,
    #[error("componentConfig must have at most {0} levels of nesting")]
    TooDeep(usize),
    #[error("componentConfig must have strings of Unicode characters")]
    NotText,
    #[error("componentConfig must not contain control characters")]
    Control,
    #[error("componentConfig must not carry {0}")]
    Forbidden(&'static str),
    #[error("componentConfig.amountMinor must be an integer within 10^15")]
    Amount,
    #[error("componentConfig.description must be a text of 1 to 512 characters on one line")]
    Description,
    #[error("componentConfig.taxRate must be a percent string from 0 to 100, at most 4 decimals")]
    TaxRate,
    #[error("componentConfig.taxCategory must be S, Z, E, AE, K, G or O")]
    TaxCategory,
    #[error("componentConfig.taxKind must be standard, reduced, zero or exempt")]
    TaxKind,
    #[error("componentConfig.taxRate {0}")]
    ContradictoryTax(&'static str),
    #[error("componentConfig.status must be pending or completed")]
    Status,
    #[error("lineItemId is not in the current version")]
    UnknownId,
    #[error("lineItemId is repeated")]
    RepeatedId,
}

impl LineProblem {
    /// This problem of the item at `index`, counted from 0.
    pub fn at(self, index: usize) -> ContractRefusal {
        ContractRefusal::LineItem { index, problem: self }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContractRefusal {
    #[error("sellerCustomerId is not a customer of this seller")]
    UnknownCustomer,
    #[error("currency must be one of EUR, USD, GBP, DKK, NOK, SEK")]
    Currency,
    #[error("startDate must lie between {from} and {to}")]
    StartOutsideWindow { from: Date, to: Date },
    #[error("endDate must not be before startDate")]
    EndBeforeStart,
    #[error("endDate must not be after {0}")]
    EndTooFar(Date),
    #[error("endDate cannot be cleared")]
    EndCleared,
    #[error("{field} must have at most {max} characters")]
    DetailTooLong { field: &'static str, max: usize },
    #[error("lineItems must have at most {MAX_LINE_ITEMS} items")]
    TooManyLineItems,
    #[error("lineItems[{index}].{problem}")]
    LineItem { index: usize, problem: LineProblem },
    #[error("expectedBaseVersion must be a positive integer")]
    BaseVersion,
    #[error("status must be one of draft, active, suspended, closed")]
    UnknownStatus,
    #[error("expectedBaseVersion {expected} is not the current version {current}")]
    StaleVersion { expected: u64, current: u64 },
    #[error("the contract is closed")]
    Closed,
    #[error("not found")]
    UnknownWorkItem,
    #[error("lineItemId is of a component of type {0}, which is no work to be done")]
    NotWork(ComponentType),
    #[error("status cannot change from {} to {}", .from.name(), .to.name())]
    IllegalMove { from: ContractStatus, to: ContractStatus },
}

impl Refuse for ContractRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::StaleVersion { .. } => RefusalKind::Stale,
            Self::Closed | Self::IllegalMove { .. } | Self::NotWork(_) => {
                RefusalKind::Unprocessable
            }
            Self::UnknownWorkItem => RefusalKind::Missing,
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
