//! Money: whole minor units with their currency. No float, no conversion.

mod currency;

use std::fmt;

use rust_decimal::{Decimal, RoundingStrategy, prelude::ToPrimitive};

pub use currency::{ACCEPTED_CURRENCIES, Currency};

/// The largest amount, in minor units, that Accrue computes with: 10^15.
pub const AMOUNT_LIMIT: i64 = 1_000_000_000_000_000;

/// The largest price or grant a request may state, in minor units: 10^12.
pub const PRICE_LIMIT: i64 = 1_000_000_000_000;

/// An amount in minor units of one currency. Adding two currencies is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
pub struct Money {
    /// Minor units (cents), at most [`AMOUNT_LIMIT`] either way.
    #[n(0)]
    pub minor: i64,
    #[n(1)]
    pub currency: Currency,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    #[error("amounts in {0} and {1} cannot be combined")]
    CurrencyMismatch(Currency, Currency),
    #[error("the amount is beyond 10^15 minor units")]
    TooLarge,
}

impl Money {
    pub fn new(minor: i64, currency: Currency) -> Result<Self, MoneyError> {
        bounded(i128::from(minor)).map(|minor| Self { minor, currency })
    }

    pub fn plus(self, other: Self) -> Result<Self, MoneyError> {
        if self.currency != other.currency {
            return Err(MoneyError::CurrencyMismatch(self.currency, other.currency));
        }
        bounded(i128::from(self.minor) + i128::from(other.minor))
            .map(|minor| Self { minor, currency: self.currency })
    }
}

impl fmt::Display for Money {
    /// Major units with the currency's decimals: `12.50 EUR`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", major_units(self.minor, self.currency), self.currency)
    }
}

/// `minor` as an exact decimal of major units, with all of the currency's decimals.
pub fn major_units(minor: i64, currency: Currency) -> Decimal {
    Decimal::new(minor, currency.decimals())
}

pub fn bounded(amount: i128) -> Result<i64, MoneyError> {
    i64::try_from(amount)
        .ok()
        .filter(|minor| (-AMOUNT_LIMIT..=AMOUNT_LIMIT).contains(minor))
        .ok_or(MoneyError::TooLarge)
}

/// An exact number of minor units rounded half up, away from zero.
pub fn round_half_up(exact_minor: Decimal) -> Result<i64, MoneyError> {
    let whole = exact_minor.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero);
    whole.to_i128().ok_or(MoneyError::TooLarge).and_then(bounded)
}

/// `amount × part / whole`, rounded half up away from zero, in exact integers.
/// `whole` must be above zero.
pub fn share_half_up(amount: i64, part: i64, whole: i64) -> i64 {
    let product = i128::from(amount) * i128::from(part);
    let whole = i128::from(whole.max(1));
    let rounded = (product.abs() * 2 + whole) / (whole * 2) * product.signum();
    i64::try_from(rounded).unwrap_or(if rounded < 0 { i64::MIN } else { i64::MAX })
}

/// Splits `total` over `weights` by largest remainder: every share is the rounded-down
/// proportion, and the units left go, one each, to the largest fractions, first come first.
/// The shares always add up to `total`. All weights zero: everything goes to the first.
pub fn allocate_largest_remainder(total: i64, weights: &[i64]) -> Vec<i64> {
    let sum: i128 = weights.iter().map(|w| i128::from(*w)).sum();
    let mut shares = vec![0_i64; weights.len()];
    if sum == 0 {
        if let Some(first) = shares.first_mut() {
            *first = total;
        }
        return shares;
    }
    let mut fractions = Vec::with_capacity(weights.len());
    let mut left = i128::from(total);
    for (index, weight) in weights.iter().enumerate() {
        let product = i128::from(total) * i128::from(*weight);
        let floor = product.div_euclid(sum);
        shares[index] = i64::try_from(floor).unwrap_or(0);
        left -= floor;
        fractions.push((product - floor * sum, index));
    }
    fractions.sort_by(|a, b| b.0.abs().cmp(&a.0.abs()).then(a.1.cmp(&b.1)));
    for (_, index) in fractions.iter().take(usize::try_from(left).unwrap_or(0)) {
        shares[*index] += 1;
    }
    shares
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn two_currencies_are_never_added() {
        let euro = Money::new(1, Currency::EUR).expect("money");
        let krona = Money::new(1, Currency::parse("SEK").expect("a currency")).expect("money");
        assert_eq!(
            euro.plus(krona),
            Err(MoneyError::CurrencyMismatch(euro.currency, krona.currency))
        );
    }

    #[test]
    fn half_a_unit_rounds_away_from_zero() {
        for (amount, part, whole, expected) in
            [(5, 1, 2, 3), (-5, 1, 2, -3), (1, 1, 3, 0), (2, 1, 3, 1), (0, 7, 9, 0)]
        {
            assert_eq!(share_half_up(amount, part, whole), expected, "{amount}*{part}/{whole}");
        }
    }

    proptest! {
        #[test]
        fn shares_add_up_and_stay_within_one_unit(
            total in -1_000_000_i64..1_000_000,
            weights in proptest::collection::vec(0_i64..10_000, 1..20),
        ) {
            let shares = allocate_largest_remainder(total, &weights);
            prop_assert_eq!(shares.iter().sum::<i64>(), total);
            let sum: i64 = weights.iter().sum();
            if sum > 0 {
                for (share, weight) in shares.iter().zip(&weights) {
                    let exact = i128::from(total) * i128::from(*weight);
                    let distance = (i128::from(*share) * i128::from(sum) - exact).abs();
                    prop_assert!(distance < i128::from(sum));
                }
            }
        }
    }
}
