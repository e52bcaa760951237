//! Prices of metered usage. A [`PriceConfigRequest`] that is right becomes a [`PriceConfig`], and
//! from a day on the [`PriceVersion`] of a contract's metric; [`rate`] and [`rate_seats`] turn what
//! a period used into a [`Rating`]: an amount with all that it takes to compute it again.
//! Everything up to the one rounding is exact: see [`Exact`].

mod back_test;
mod bands;
mod breakdown;
mod charge;
mod config;
mod evaluate;
mod exact;
mod fit;
mod major_price;
mod names;
mod rating;
mod refusal;
mod request;
mod rounding;
mod seats;
#[cfg(test)]
mod tests;
mod usage;
mod version;

pub use back_test::{BackTested, ClosedPeriod, MAX_TESTED_PERIODS, PeriodUsage, back_test};
pub use bands::{Band, Bands, MAX_BANDS};
pub use breakdown::UsageBreakdown;
pub use config::{Allotment, Charge, Commitment, PriceConfig, Scheme, UsageScheme};
pub use evaluate::{MAX_QUANTITIES, evaluate};
pub use exact::Exact;
pub use fit::check_fit;
pub use major_price::MajorPrice;
pub use names::{Rollover, Rounding, SchemeName};
pub use rating::{Basis, Flags, LinePrice, RatedLine, Rating, SeatBasis, UnitBasis};
pub use refusal::{ConfigRefusal, EvaluationRefusal, RatingRefusal, VersionRefusal};
pub use request::{AllotmentRequest, CommitmentRequest, PriceConfigRequest, TierRequest};
pub use seats::rate_seats;
pub use usage::{RatingInput, rate};
pub use version::{
    AddedPrice, MAX_VERSIONS, PriceSet, PriceVersion, SetPrice, current, in_force, set_price,
};
