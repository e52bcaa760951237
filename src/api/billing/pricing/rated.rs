//! Rated quantities as answers show them, in evaluations and on invoice lines.

use actors::domain::billing::pricing::{Flags, LinePrice, RatedLine};
use serde::Serialize;
use utoipa::ToSchema;

/// A band and what it charges; exact decimals, prices and amounts in major units.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BandView {
    /// The units below the band.
    from: String,
    /// The band's last unit; `null` for one without end.
    #[schema(required)]
    up_to: Option<String>,
    /// Units that are charged in it.
    quantity: String,
    /// Of a unit or of a package.
    #[serde(skip_serializing_if = "Option::is_none")]
    unit_price: Option<String>,
    /// Of the band as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    flat_amount: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    packages: Option<String>,
    /// What it charges, before rounding and before the least and the most that a period bills.
    amount: String,
}

/// Which limits acted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LimitsView {
    /// Some units cost nothing.
    included_units_applied: bool,
    /// Units beyond `usageCap` were left out.
    usage_cap_applied: bool,
    /// The amount was raised to `minimumMinor`.
    minimum_applied: bool,
    /// The amount was lowered to `spendCapMinor`.
    spend_cap_applied: bool,
}

impl From<&RatedLine> for BandView {
    fn from(of: &RatedLine) -> Self {
        let mut view = Self {
            from: of.from.to_string(),
            up_to: of.up_to.map(|bound| bound.to_string()),
            quantity: of.quantity.to_string(),
            unit_price: None,
            flat_amount: None,
            packages: None,
            amount: of.amount.to_string(),
        };
        match &of.price {
            LinePrice::Unit(price) => view.unit_price = Some(price.to_string()),
            LinePrice::Flat(price) => view.flat_amount = Some(price.to_string()),
            LinePrice::Package { price, packages, .. } => {
                view.unit_price = Some(price.to_string());
                view.packages = Some(packages.to_string());
            }
            LinePrice::Share(_) => {}
        }
        view
    }
}

impl From<Flags> for LimitsView {
    fn from(of: Flags) -> Self {
        Self {
            included_units_applied: of.included_units_applied,
            usage_cap_applied: of.usage_cap_applied,
            minimum_applied: of.minimum_applied,
            spend_cap_applied: of.spend_cap_applied,
        }
    }
}
