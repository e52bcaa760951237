//! What is wrong with a price, by the JSON path of the field at fault.

use super::names::SchemeName;
use crate::domain::money::Currency;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Date;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigRefusal {
    #[error("{0} is required")]
    Missing(String),
    #[error("{0} is required for scheme {1}")]
    MissingFor(String, SchemeName),
    #[error("{0} is not allowed for scheme {1}")]
    Forbidden(String, SchemeName),
    #[error("{0} must be one of {1}")]
    Unknown(String, String),
    #[error("config.currency must be an ISO 4217 code in capitals")]
    Currency,
    #[error(
        "{0} must be a decimal string, not negative, up to 15 digits before and 12 after the point"
    )]
    Price(String),
    #[error(
        "{0} must be a decimal string, not negative, up to 18 digits before and 9 after the point"
    )]
    Quantity(String),
    #[error("{0} must be above 0")]
    NotAboveZero(String),
    #[error("{0} must be above the upTo of the band before it")]
    NotRising(String),
    #[error("{0} must be null: the last band has no bound")]
    LastBounded(String),
    #[error("{0} is required: only the last band has no bound")]
    Unbounded(String),
    #[error("config.tiers must have 1 to {most} bands", most = super::bands::MAX_BANDS)]
    Tiers,
    #[error("config.percentBps must be from 0 to {most}", most = super::request::MAX_PERCENT_BPS)]
    PercentBps,
    #[error("{0} must be from 0 to 10^15")]
    Minor(String),
    #[error("config.commitment.minimumMinor must not be above spendCapMinor")]
    MinimumAboveCap,
    #[error("config.currency must be {0}, the contract's currency")]
    OtherCurrency(Currency),
    #[error("config.scheme must be per_seat for metric {seats}", seats = crate::domain::billing::usage::SEATS)]
    SeatsOnly,
    #[error("config.scheme per_seat is only for metric {seats}", seats = crate::domain::billing::usage::SEATS)]
    NotForSeats,
}

impl Refuse for ConfigRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VersionRefusal {
    #[error("a metric has at most {most} price versions on a contract", most = super::version::MAX_VERSIONS)]
    TooMany,
}

impl Refuse for VersionRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Unprocessable
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingRefusal {
    #[error("the amount is beyond 10^15 minor units")]
    TooLarge,
    #[error("scheme per_seat charges days of seats, not a quantity")]
    PerSeat,
    #[error("seats are rated by scheme per_seat only")]
    NotPerSeat,
}

impl Refuse for RatingRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::TooLarge => RefusalKind::Invalid,
            Self::PerSeat | Self::NotPerSeat => RefusalKind::Unprocessable,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationRefusal {
    #[error("quantities must have 1 to {most} entries", most = super::evaluate::MAX_QUANTITIES)]
    Count,
    #[error(
        "quantities[{0}] must be a decimal string, not negative, up to 18 digits before and 9 after the point"
    )]
    Quantity(usize),
    #[error("quantities[{0}] comes to an amount beyond 10^15 minor units")]
    TooLarge(usize),
    #[error("config makes the period from {0} an amount beyond 10^15 minor units")]
    PeriodTooLarge(Date),
    #[error(
        "from and to must have at most {most} closed periods between them",
        most = super::back_test::MAX_TESTED_PERIODS
    )]
    Periods,
    #[error(transparent)]
    Rating(#[from] RatingRefusal),
}

impl Refuse for EvaluationRefusal {
    fn kind(&self) -> RefusalKind {
        match self {
            Self::Rating(refusal) => refusal.kind(),
            _ => RefusalKind::Invalid,
        }
    }
}
