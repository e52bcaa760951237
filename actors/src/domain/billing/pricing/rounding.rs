//! The one rounding of a rating: exact major units to whole minor ones.

use num_bigint::BigUint;

use super::exact::Exact;
use super::names::Rounding;
use crate::domain::money::{AMOUNT_LIMIT, Currency};

/// `major` / `divisor` in whole minor units of `currency`; nothing beyond 10^15 of them, which
/// is more than any amount may be.
pub(super) fn minor_units(
    major: &Exact,
    divisor: u64,
    currency: Currency,
    rounding: Rounding,
) -> Option<i64> {
    let (number, parts) = major.fraction(currency.decimals());
    let minor = i64::try_from(divided(&number, &(parts * divisor.max(1)), rounding)).ok()?;
    (minor <= AMOUNT_LIMIT).then_some(minor)
}

/// `number` / `by`, where `by` is above 0, as a whole number.
pub(super) fn divided(number: &BigUint, by: &BigUint, rounding: Rounding) -> BigUint {
    let whole = number / by;
    let twice_the_rest = (number - &whole * by) * 2_u32;
    let up = match rounding {
        Rounding::HalfUp => twice_the_rest >= *by,
        Rounding::HalfEven => twice_the_rest > *by || (twice_the_rest == *by && whole.bit(0)),
        Rounding::Up => twice_the_rest > BigUint::ZERO,
        Rounding::Down => false,
    };
    if up { whole + 1_u32 } else { whole }
}
