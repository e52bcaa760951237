//! A price configuration as answers show it.

use actors::domain::billing::pricing::{
    Charge, PriceConfig, PriceVersion, Rollover, Rounding, Scheme, SchemeName,
};
use actors::domain::money::Currency;
use actors::domain::quantity::Quantity;
use actors::domain::time::{Date, Timestamp};
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// A version of a metric's price on a contract.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceView {
    contract_id: u64,
    metric_name: String,
    /// Counts the configurations of the metric on the contract from 1.
    version: u32,
    /// The first day on which it may rate a period.
    effective_from: Date,
    config: PriceConfigView,
    created_at: Timestamp,
}

/// A metric's price, in the shape in which it is put.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PriceConfigView {
    scheme: SchemeName,
    currency: Currency,
    rounding: Rounding,
    unit_price: Option<String>,
    package_size: Option<Quantity>,
    percent_bps: Option<u32>,
    tiers: Option<Vec<TierView>>,
    allotment: Option<AllotmentView>,
    commitment: Option<CommitmentView>,
}

/// One band.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct TierView {
    /// `null` on the last band.
    #[schema(required)]
    up_to: Option<Quantity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit_price: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flat_amount: Option<String>,
}

/// Units that cost nothing.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct AllotmentView {
    included_units: Quantity,
    rollover: Rollover,
}

/// The least and the most that a period bills.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct CommitmentView {
    minimum_minor: Option<i64>,
    spend_cap_minor: Option<i64>,
    usage_cap: Option<Quantity>,
}

impl PriceView {
    pub fn new(contract: u64, metric: &str, price: &PriceVersion) -> Self {
        Self {
            contract_id: contract,
            metric_name: metric.to_owned(),
            version: price.version,
            effective_from: price.effective_from,
            config: PriceConfigView::from(&price.config),
            created_at: price.created_at,
        }
    }
}

impl From<&PriceConfig> for PriceConfigView {
    fn from(config: &PriceConfig) -> Self {
        let mut view = Self {
            scheme: config.scheme_name(),
            currency: config.currency,
            rounding: config.rounding,
            unit_price: None,
            package_size: None,
            percent_bps: None,
            tiers: None,
            allotment: config.allotment().map(|of| AllotmentView {
                included_units: of.included_units,
                rollover: of.rollover,
            }),
            commitment: commitment(config),
        };
        match &config.scheme {
            Scheme::Seats(price) => view.unit_price = Some(price.to_string()),
            Scheme::Units(units) => view.charges(&units.charge),
        }
        view
    }
}

impl PriceConfigView {
    fn charges(&mut self, charge: &Charge) {
        match charge {
            Charge::PerUnit(price) => self.unit_price = Some(price.to_string()),
            Charge::Graduated(bands) | Charge::Volume(bands) => {
                let tiers = bands.iter().map(|band| TierView {
                    up_to: band.up_to,
                    unit_price: Some(band.price.to_string()),
                    flat_amount: None,
                });
                self.tiers = Some(tiers.collect());
            }
            Charge::Tiered(bands) => {
                let tiers = bands.iter().map(|band| TierView {
                    up_to: band.up_to,
                    unit_price: None,
                    flat_amount: Some(band.price.to_string()),
                });
                self.tiers = Some(tiers.collect());
            }
            Charge::Package { size, price } => {
                self.unit_price = Some(price.to_string());
                self.package_size = Some(*size);
            }
            Charge::Percentage(bps) => self.percent_bps = Some(*bps),
        }
    }
}

fn commitment(config: &PriceConfig) -> Option<CommitmentView> {
    let view = CommitmentView {
        minimum_minor: config.commitment.minimum_minor(),
        spend_cap_minor: config.commitment.spend_cap_minor(),
        usage_cap: match &config.scheme {
            Scheme::Seats(_) => None,
            Scheme::Units(units) => units.usage_cap,
        },
    };
    let stated =
        view.minimum_minor.is_some() || view.spend_cap_minor.is_some() || view.usage_cap.is_some();
    stated.then_some(view)
}
