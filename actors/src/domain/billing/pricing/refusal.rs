//! What is wrong with a price, by the JSON path of the field at fault (billing 2.7, 7).

use super::names::SchemeName;
use crate::domain::money::Currency;
use crate::domain::refusal::{RefusalKind, Refuse};
use crate::domain::time::Date;

/// Why a price configuration is refused. Texts begin with the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigRefusal {
    /// It was not stated.
    #[error("{0} is required")]
    Missing(String),
    /// The scheme needs it.
    #[error("{0} is required for scheme {1}")]
    MissingFor(String, SchemeName),
    /// The scheme has no use for it.
    #[error("{0} is not allowed for scheme {1}")]
    Forbidden(String, SchemeName),
    /// It is none of the names there are.
    #[error("{0} must be one of {1}")]
    Unknown(String, String),
    /// It is no currency.
    #[error("config.currency must be an ISO 4217 code in capitals")]
    Currency,
    /// It is no price.
    #[error(
        "{0} must be a decimal string, not negative, up to 15 digits before and 12 after the point"
    )]
    Price(String),
    /// It is no quantity.
    #[error(
        "{0} must be a decimal string, not negative, up to 18 digits before and 9 after the point"
    )]
    Quantity(String),
    /// It divides, or bounds a band, and is 0.
    #[error("{0} must be above 0")]
    NotAboveZero(String),
    /// Bands are not in order.
    #[error("{0} must be above the upTo of the band before it")]
    NotRising(String),
    /// The last band ends.
    #[error("{0} must be null: the last band has no bound")]
    LastBounded(String),
    /// A band before the last does not end.
    #[error("{0} is required: only the last band has no bound")]
    Unbounded(String),
    /// There are no bands, or too many.
    #[error("config.tiers must have 1 to {most} bands", most = super::bands::MAX_BANDS)]
    Tiers,
    /// It is no share.
    #[error("config.percentBps must be from 0 to {most}", most = super::request::MAX_PERCENT_BPS)]
    PercentBps,
    /// It is no amount.
    #[error("{0} must be from 0 to 10^15")]
    Minor(String),
    /// The floor is above the ceiling.
    #[error("config.commitment.minimumMinor must not be above spendCapMinor")]
    MinimumAboveCap,
    /// Another currency than the contract's.
    #[error("config.currency must be {0}, the contract's currency")]
    OtherCurrency(Currency),
    /// Seats are priced by the seat.
    #[error("config.scheme must be per_seat for metric {seats}", seats = crate::domain::billing::usage::SEATS)]
    SeatsOnly,
    /// Nothing else is.
    #[error("config.scheme per_seat is only for metric {seats}", seats = crate::domain::billing::usage::SEATS)]
    NotForSeats,
}

impl Refuse for ConfigRefusal {
    fn kind(&self) -> RefusalKind {
        RefusalKind::Invalid
    }
}

/// Why something is not rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatingRefusal {
    /// The amount is more than any may be (decisions 6).
    #[error("the amount is beyond 10^15 minor units")]
    TooLarge,
    /// A quantity was to be rated by the seat.
    #[error("scheme per_seat charges days of seats, not a quantity")]
    PerSeat,
    /// Seats were to be rated by units.
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

/// Why quantities are not evaluated, or a back-test is not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationRefusal {
    /// There are none, or too many.
    #[error("quantities must have 1 to {most} entries", most = super::evaluate::MAX_QUANTITIES)]
    Count,
    /// One is no quantity.
    #[error(
        "quantities[{0}] must be a decimal string, not negative, up to 18 digits before and 9 after the point"
    )]
    Quantity(usize),
    /// One comes to more than any amount may be.
    #[error("quantities[{0}] comes to an amount beyond 10^15 minor units")]
    TooLarge(usize),
    /// A period comes to more than any amount may be.
    #[error("config makes the period from {0} an amount beyond 10^15 minor units")]
    PeriodTooLarge(Date),
    /// There are more periods than a back-test shows.
    #[error(
        "from and to must have at most {most} closed periods between them",
        most = super::back_test::MAX_TESTED_PERIODS
    )]
    Periods,
    /// It cannot be rated at all.
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
