//! What a period comes to, with all that it takes to compute it again.

use super::config::Commitment;
use super::exact::Exact;
use super::major_price::MajorPrice;
use super::names::{Rounding, SchemeName};
use super::refusal::RatingRefusal;
use crate::domain::quantity::Quantity;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Rating {
    /// What is billed, in minor units, 0 to 10^15.
    #[n(0)]
    pub amount_minor: i64,
    #[n(1)]
    pub scheme: SchemeName,
    #[n(2)]
    pub rounding: Rounding,
    #[n(3)]
    pub basis: Basis,
    #[n(4)]
    pub commitment: Commitment,
    #[n(5)]
    pub flags: Flags,
    /// Whether it was free: a trial bills nothing, and no minimum either.
    #[n(6)]
    pub trial: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum Basis {
    #[n(0)]
    Units(#[n(0)] UnitBasis),
    #[n(1)]
    Seats(#[n(0)] SeatBasis),
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct UnitBasis {
    #[n(0)]
    pub used: Exact,
    /// Units that the period before left, which go first.
    #[n(1)]
    pub rolled_over: Quantity,
    #[n(2)]
    pub included: Option<Quantity>,
    #[n(3)]
    pub usage_cap: Option<Quantity>,
    #[n(4)]
    pub billable: Exact,
    /// Included units of the period itself that go to the next one.
    #[n(5)]
    pub unused: Quantity,
    /// What is charged, band by band; their amounts add up to `exact`.
    #[n(6)]
    pub lines: Vec<RatedLine>,
    /// The amount before rounding, minimum and cap, in major units.
    #[n(7)]
    pub exact: Exact,
}

/// Seats over days. The amount before rounding is `unit_price` x `seat_days` / `period_days`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SeatBasis {
    #[n(0)]
    pub unit_price: MajorPrice,
    /// The seats of every day of the period together, 0 or more.
    #[n(1)]
    pub seat_days: i64,
    #[n(2)]
    pub period_days: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct RatedLine {
    #[n(0)]
    pub from: Quantity,
    /// Where it ends, inclusive; nothing for the last.
    #[n(1)]
    pub up_to: Option<Quantity>,
    #[n(2)]
    pub quantity: Exact,
    #[n(3)]
    pub price: LinePrice,
    /// In major units, exact.
    #[n(4)]
    pub amount: Exact,
}

/// How a band charges. Prices are major units.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub enum LinePrice {
    #[n(0)]
    Unit(#[n(0)] MajorPrice),
    #[n(1)]
    Flat(#[n(0)] MajorPrice),
    #[n(2)]
    Package {
        #[n(0)]
        price: MajorPrice,
        #[n(1)]
        size: Quantity,
        #[n(2)]
        packages: Exact,
    },
    /// A share, in basis points.
    #[n(3)]
    Share(#[n(0)] u32),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Flags {
    #[n(0)]
    pub included_units_applied: bool,
    #[n(1)]
    pub usage_cap_applied: bool,
    /// The amount was raised to `minimumMinor`.
    #[n(2)]
    pub minimum_applied: bool,
    /// The amount was lowered to `spendCapMinor`.
    #[n(3)]
    pub spend_cap_applied: bool,
}

impl Rating {
    pub fn unused(&self) -> Quantity {
        match &self.basis {
            Basis::Units(units) => units.unused,
            Basis::Seats(_) => Quantity::ZERO,
        }
    }

    /// What was charged, band by band; none for seats and for what was free.
    pub fn lines(&self) -> &[RatedLine] {
        match &self.basis {
            Basis::Units(units) => &units.lines,
            Basis::Seats(_) => &[],
        }
    }
}

/// Holds a rounded amount between minimum and cap; `rounded` is nothing beyond 10^15.
pub(super) fn bounded(
    rounded: Option<i64>,
    commitment: Commitment,
    flags: &mut Flags,
) -> Result<i64, RatingRefusal> {
    let (floor, cap) = (commitment.minimum_minor(), commitment.spend_cap_minor());
    if let Some(floor) = floor
        && rounded.is_some_and(|amount| amount < floor)
    {
        flags.minimum_applied = true;
        return Ok(floor);
    }
    if let Some(cap) = cap
        && rounded.is_none_or(|amount| amount > cap)
    {
        flags.spend_cap_applied = true;
        return Ok(cap);
    }
    rounded.ok_or(RatingRefusal::TooLarge)
}
