//! How the amount of a usage line came about, kept with the line so that whoever reads it can
//! compute the amount again.

use super::names::SchemeName;
use super::rating::{Basis, Rating, UnitBasis};
use crate::domain::quantity::Quantity;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct UsageBreakdown {
    #[n(0)]
    pub price_version: u32,
    #[n(1)]
    pub rating: Rating,
}

impl UsageBreakdown {
    /// How the figures make the amount, in words that name them as they are answered.
    pub fn formula(&self) -> String {
        let rating = &self.rating;
        if rating.trial {
            return "0: the period is a trial".to_owned();
        }
        let mut steps = match &rating.basis {
            Basis::Units(units) => {
                format!("{}, {}", billable(units), charge(rating.scheme, units))
            }
            Basis::Seats(_) => "unitPrice × seatDays / periodDays".to_owned(),
        };
        steps.push_str(&format!(", rounded {} to minor units", rating.rounding));
        if rating.commitment.minimum_minor().is_some() {
            steps.push_str(", at least minimumMinor");
        }
        if rating.commitment.spend_cap_minor().is_some() {
            steps.push_str(", at most spendCapMinor");
        }
        steps
    }
}

fn billable(units: &UnitBasis) -> String {
    let mut steps = "billableUnits = usedUnits".to_owned();
    if units.rolled_over != Quantity::ZERO {
        steps.push_str(" − rolledOverUnits");
    }
    if units.included.is_some() {
        steps.push_str(" − includedUnits");
    }
    if units.rolled_over != Quantity::ZERO || units.included.is_some() {
        steps.push_str(", at least 0");
    }
    if units.usage_cap.is_some() {
        steps.push_str(", at most usageCap");
    }
    steps
}

fn charge(scheme: SchemeName, units: &UnitBasis) -> &'static str {
    match scheme {
        _ if units.lines.is_empty() => "exactAmount = 0, since there was no event",
        SchemeName::PerUnit => "exactAmount = billableUnits × unitPrice",
        SchemeName::Graduated => "exactAmount = the sum over the lines of quantity × unitPrice",
        SchemeName::Volume => "exactAmount = billableUnits × unitPrice of the band they land in",
        SchemeName::Tiered => "exactAmount = flatAmount of the band that billableUnits land in",
        SchemeName::Package => {
            "exactAmount = packages × unitPrice, packages = billableUnits / packageSize rounded up"
        }
        SchemeName::Percentage => "exactAmount = billableUnits × percentBps / 10000",
        SchemeName::PerSeat => "exactAmount = unitPrice × seatDays / periodDays",
    }
}
