//! Rating a quantity. The order is fixed: included units, rolled-over ones first; at most the
//! usage cap; the scheme; the rounding; at least the minimum; at most the spend cap.

use rust_decimal::Decimal;

use super::config::{PriceConfig, Scheme, UsageScheme};
use super::exact::Exact;
use super::names::Rollover;
use super::rating::{Basis, Flags, Rating, UnitBasis, bounded};
use super::refusal::RatingRefusal;
use super::rounding::minor_units;
use crate::domain::quantity::Quantity;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatingInput {
    /// The aggregated quantity, 0 or more.
    pub quantity: Decimal,
    pub rolled_over: Quantity,
    pub any_event: bool,
    /// Whether it is free: then the amount is 0, no allotment is touched and none is left over.
    pub trial: bool,
}

pub fn rate(config: &PriceConfig, input: &RatingInput) -> Result<Rating, RatingRefusal> {
    let Scheme::Units(scheme) = &config.scheme else { return Err(RatingRefusal::PerSeat) };
    let mut flags = Flags::default();
    let (basis, amount_minor) = if input.trial {
        (free(scheme, input), 0)
    } else {
        let basis = charged(scheme, input, &mut flags);
        let rounded = minor_units(&basis.exact, 1, config.currency, config.rounding);
        let amount = bounded(rounded, config.commitment, &mut flags)?;
        (basis, amount)
    };
    Ok(Rating {
        amount_minor,
        scheme: config.scheme_name(),
        rounding: config.rounding,
        basis: Basis::Units(basis),
        commitment: config.commitment,
        flags,
        trial: input.trial,
    })
}

fn charged(scheme: &UsageScheme, input: &RatingInput, flags: &mut Flags) -> UnitBasis {
    let used = Exact::from(input.quantity);
    let own = scheme.allotment.map_or(Quantity::ZERO, |allotment| allotment.included_units);
    let after_rolled_over = used.less(&input.rolled_over.into());
    let over = after_rolled_over.less(&own.into());
    flags.included_units_applied = over != used;
    let billable = match scheme.usage_cap.map(Exact::from) {
        Some(cap) if over > cap => {
            flags.usage_cap_applied = true;
            cap
        }
        _ => over,
    };
    let lines = scheme.charge.lines(&billable, input.any_event);
    let exact = lines.iter().fold(Exact::default(), |sum, line| sum.plus(&line.amount));
    let keeps = scheme.allotment.is_some_and(|own| own.rollover == Rollover::Rollover);
    let left = Exact::from(own).less(&after_rolled_over);
    // What is left of a quantity has no more digits than it.
    let unused = left.quantity().filter(|_| keeps).unwrap_or(Quantity::ZERO);
    UnitBasis { billable, unused, lines, exact, ..untouched(scheme, input, used) }
}

fn free(scheme: &UsageScheme, input: &RatingInput) -> UnitBasis {
    untouched(scheme, input, Exact::from(input.quantity))
}

fn untouched(scheme: &UsageScheme, input: &RatingInput, used: Exact) -> UnitBasis {
    UnitBasis {
        used,
        rolled_over: input.rolled_over,
        included: scheme.allotment.map(|allotment| allotment.included_units),
        usage_cap: scheme.usage_cap,
        billable: Exact::default(),
        unused: Quantity::ZERO,
        lines: Vec::new(),
        exact: Exact::default(),
    }
}
