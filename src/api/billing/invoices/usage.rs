//! How the amount of a usage or seat line came about: every figure that its formula names.

use actors::domain::billing::pricing::{
    Basis, LinePrice, Rating, Rounding, SchemeName, SeatBasis, UnitBasis, UsageBreakdown,
};
use actors::domain::quantity::Quantity;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::billing::pricing::{BandView, LimitsView};

/// A rated period. Decimals are exact; prices and exact amounts are major units.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatedUsageView {
    scheme: SchemeName,
    /// Used once, on the exact amount.
    rounding: Rounding,
    /// The version of the price configuration.
    config_version: u32,
    /// Whether the period lies in a trial, which costs nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    trial: bool,
    /// Which limits acted.
    flags: LimitsView,
    /// The least that a period bills.
    minimum_minor: Option<i64>,
    /// The most that a period bills.
    spend_cap_minor: Option<i64>,
    /// What each band charges; none for seats.
    lines: Vec<BandView>,
    #[serde(flatten)]
    basis: RatedBasisView,
}

/// What was charged for.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
pub enum RatedBasisView {
    /// Units of a metric.
    Units(RatedUnitsView),
    Seats(RatedSeatsView),
}

/// Units, from what was used to what is charged.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatedUnitsView {
    used_units: String,
    /// Units that the period before left; they go first.
    rolled_over_units: Quantity,
    /// Units that the period includes.
    included_units: Option<Quantity>,
    /// The most units that are charged.
    usage_cap: Option<Quantity>,
    /// The units that are charged.
    billable_units: String,
    package_size: Option<Quantity>,
    /// The share that is charged, in hundredths of a percent.
    percent_bps: Option<u32>,
    /// The amount before it is rounded, raised or lowered.
    exact_amount: String,
    /// Units of the period's own that go to the next one.
    unused_units: Quantity,
}

/// Seats over the days of a period.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatedSeatsView {
    /// Of one seat for a whole term.
    unit_price: String,
    /// The seats that each day of the period ended with, together.
    seat_days: i64,
    /// Days of the whole term.
    period_days: i64,
    /// Seats for the whole term that the days come to, with at most 9 decimals; for reading.
    seat_equivalents: String,
}

impl From<&UsageBreakdown> for RatedUsageView {
    fn from(of: &UsageBreakdown) -> Self {
        let rating: &Rating = &of.rating;
        Self {
            scheme: rating.scheme,
            rounding: rating.rounding,
            config_version: of.price_version,
            trial: rating.trial,
            flags: rating.flags.into(),
            minimum_minor: rating.commitment.minimum_minor(),
            spend_cap_minor: rating.commitment.spend_cap_minor(),
            lines: rating.lines().iter().map(BandView::from).collect(),
            basis: match &rating.basis {
                Basis::Units(units) => RatedBasisView::Units(units.into()),
                Basis::Seats(seats) => RatedBasisView::Seats(seats.into()),
            },
        }
    }
}

impl From<&UnitBasis> for RatedUnitsView {
    fn from(of: &UnitBasis) -> Self {
        let (package_size, percent_bps) = match of.lines.first().map(|line| &line.price) {
            Some(LinePrice::Package { size, .. }) => (Some(*size), None),
            Some(LinePrice::Share(bps)) => (None, Some(*bps)),
            _ => (None, None),
        };
        Self {
            used_units: of.used.to_string(),
            rolled_over_units: of.rolled_over,
            included_units: of.included,
            usage_cap: of.usage_cap,
            billable_units: of.billable.to_string(),
            package_size,
            percent_bps,
            exact_amount: of.exact.to_string(),
            unused_units: of.unused,
        }
    }
}

impl From<&SeatBasis> for RatedSeatsView {
    fn from(of: &SeatBasis) -> Self {
        Self {
            unit_price: of.unit_price.to_string(),
            seat_days: of.seat_days,
            period_days: of.period_days,
            seat_equivalents: of.equivalents().to_string(),
        }
    }
}
