//! Price configurations that are right: what a scheme does not know, it has no field for.

use super::bands::Bands;
use super::major_price::MajorPrice;
use super::names::{Rollover, Rounding, SchemeName};
use crate::domain::money::Currency;
use crate::domain::quantity::Quantity;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PriceConfig {
    #[n(0)]
    pub currency: Currency,
    #[n(1)]
    pub rounding: Rounding,
    #[n(2)]
    pub scheme: Scheme,
    #[n(3)]
    pub commitment: Commitment,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Scheme {
    #[n(0)]
    Seats(#[n(0)] MajorPrice),
    #[n(1)]
    Units(#[n(0)] UsageScheme),
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct UsageScheme {
    #[n(0)]
    pub charge: Charge,
    #[n(1)]
    pub allotment: Option<Allotment>,
    /// The most units that a period is charged for (`usageCap`).
    #[n(2)]
    pub usage_cap: Option<Quantity>,
}

/// How units are charged. Prices are major units.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Charge {
    #[n(0)]
    PerUnit(#[n(0)] MajorPrice),
    /// Each at the price of the band it is in.
    #[n(1)]
    Graduated(#[n(0)] Bands),
    /// Each at the price of the band that all of them land in.
    #[n(2)]
    Volume(#[n(0)] Bands),
    /// The amount of the band that all of them land in.
    #[n(3)]
    Tiered(#[n(0)] Bands),
    #[n(4)]
    Package {
        /// Units in a package, above 0.
        #[n(0)]
        size: Quantity,
        #[n(1)]
        price: MajorPrice,
    },
    /// A share of units that are money: basis points.
    #[n(5)]
    Percentage(#[n(0)] u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Allotment {
    #[n(0)]
    pub included_units: Quantity,
    #[n(1)]
    pub rollover: Rollover,
}

/// What a period bills at least and at most, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Commitment {
    #[n(0)]
    minimum_minor: Option<i64>,
    #[n(1)]
    spend_cap_minor: Option<i64>,
}

impl PriceConfig {
    pub fn scheme_name(&self) -> SchemeName {
        match &self.scheme {
            Scheme::Seats(_) => SchemeName::PerSeat,
            Scheme::Units(units) => units.charge.name(),
        }
    }

    /// Units that a period includes, where there are any to include.
    pub fn allotment(&self) -> Option<Allotment> {
        match &self.scheme {
            Scheme::Seats(_) => None,
            Scheme::Units(units) => units.allotment,
        }
    }
}

impl Charge {
    pub fn name(&self) -> SchemeName {
        match self {
            Self::PerUnit(_) => SchemeName::PerUnit,
            Self::Graduated(_) => SchemeName::Graduated,
            Self::Volume(_) => SchemeName::Volume,
            Self::Tiered(_) => SchemeName::Tiered,
            Self::Package { .. } => SchemeName::Package,
            Self::Percentage(_) => SchemeName::Percentage,
        }
    }
}

impl Commitment {
    /// A floor and a ceiling, 0 or more; nothing when the floor is above the ceiling.
    pub fn new(minimum_minor: Option<i64>, spend_cap_minor: Option<i64>) -> Option<Self> {
        let apart = minimum_minor.zip(spend_cap_minor).is_some_and(|(floor, cap)| floor > cap);
        (!apart).then_some(Self { minimum_minor, spend_cap_minor })
    }

    pub fn minimum_minor(self) -> Option<i64> {
        self.minimum_minor
    }

    pub fn spend_cap_minor(self) -> Option<i64> {
        self.spend_cap_minor
    }
}
