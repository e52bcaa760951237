//! A price configuration as requests state it.

use actors::domain::billing::pricing::{
    AllotmentRequest, CommitmentRequest, PriceConfig, PriceConfigRequest, Rounding, SchemeName,
    TierRequest,
};
use actors::domain::money::Currency;
use actors::domain::refusal::Refusal;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::http::Problem;

/// A metric's price. Which fields a scheme needs and takes: `unitPrice` for `per_unit`, `package`
/// and `per_seat`; `packageSize` for `package`; `percentBps` for `percentage`; `tiers` with
/// `unitPrice` for `graduated` and `volume`, with `flatAmount` for `tiered`. A field that would be
/// without effect is refused, but for a `unitPrice` beside `tiers` or `percentBps`, which is not
/// read.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceConfigBody {
    #[schema(required, value_type = Option<SchemeName>)]
    scheme: Option<String>,
    /// On a contract, the contract's.
    #[schema(required, value_type = Option<Currency>)]
    currency: Option<String>,
    /// Used once, when the exact amount becomes minor units.
    #[schema(required, value_type = Option<Rounding>)]
    rounding: Option<String>,
    /// Major units, up to 15 digits before and 12 after the point.
    unit_price: Option<String>,
    /// Units of a package, above 0.
    package_size: Option<String>,
    /// Hundredths of a percent of the quantity, 0 to 1000000.
    percent_bps: Option<i64>,
    /// Bands from 0 on, at most 100.
    tiers: Option<Vec<TierBody>>,
    allotment: Option<AllotmentBody>,
    commitment: Option<CommitmentBody>,
}

/// One band.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TierBody {
    /// The band's last unit; `null` on the last band.
    up_to: Option<String>,
    /// Of a unit, in major units; for `graduated` and `volume`.
    unit_price: Option<String>,
    /// Of the band, in major units; for `tiered`.
    flat_amount: Option<String>,
}

/// Units that cost nothing.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AllotmentBody {
    /// The first units of each period.
    #[schema(required)]
    included_units: Option<String>,
    /// `none` (the default), or `rollover`: what is left adds to the next period alone.
    rollover: Option<String>,
}

/// The least and the most that a period bills.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommitmentBody {
    /// The least, in minor units.
    minimum_minor: Option<i64>,
    /// The most, in minor units; not below `minimumMinor`.
    spend_cap_minor: Option<i64>,
    /// The most units.
    usage_cap: Option<String>,
}

impl PriceConfigBody {
    /// The configuration, if it makes sense.
    ///
    /// # Errors
    /// `400` naming the field at fault.
    pub fn parse(self) -> Result<PriceConfig, Problem> {
        let request = PriceConfigRequest {
            scheme: self.scheme,
            currency: self.currency,
            rounding: self.rounding,
            unit_price: self.unit_price,
            package_size: self.package_size,
            percent_bps: self.percent_bps,
            tiers: self.tiers.map(|tiers| tiers.into_iter().map(TierRequest::from).collect()),
            allotment: self.allotment.map(|of| AllotmentRequest {
                included_units: of.included_units,
                rollover: of.rollover,
            }),
            commitment: self.commitment.map(|of| CommitmentRequest {
                minimum_minor: of.minimum_minor,
                spend_cap_minor: of.spend_cap_minor,
                usage_cap: of.usage_cap,
            }),
        };
        Ok(request.check().map_err(Refusal::from)?)
    }
}

impl From<TierBody> for TierRequest {
    fn from(of: TierBody) -> Self {
        Self { up_to: of.up_to, unit_price: of.unit_price, flat_amount: of.flat_amount }
    }
}
