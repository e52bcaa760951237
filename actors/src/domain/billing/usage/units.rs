//! Exact quantities that are added up: whole numbers of billionths.

use std::ops::Add;

use rust_decimal::Decimal;

use crate::domain::quantity::Quantity;

const DECIMALS: u32 = 9;
const ONE: u128 = 1_000_000_000;

/// A quantity in billionths of a unit. It holds ten billion of the largest quantities, so sums
/// stay exact where a decimal of 96 bits would round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Units(pub(super) u128);

impl Units {
    pub const ZERO: Self = Self(0);

    pub fn whole(count: u64) -> Self {
        Self(u128::from(count) * ONE)
    }

    /// What is left of it when `other` is taken away; nothing if that is more.
    pub fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    pub fn billionths(self) -> u128 {
        self.0
    }

    /// As a decimal. Beyond 7.9 x 10^19 units with nine decimals a decimal has no room for the
    /// last ones: they are then cut, the answer is a floor, and `true` stands beside it.
    pub fn decimal(self) -> (Decimal, bool) {
        let (mut number, mut scale, mut cut) = (self.0, DECIMALS, false);
        loop {
            let fits = i128::try_from(number)
                .ok()
                .and_then(|number| Decimal::try_from_i128_with_scale(number, scale).ok());
            if let Some(decimal) = fits {
                return (decimal.normalize(), cut);
            }
            if scale == 0 {
                return (Decimal::MAX, true);
            }
            cut |= !number.is_multiple_of(10);
            number /= 10;
            scale -= 1;
        }
    }
}

impl From<Quantity> for Units {
    fn from(quantity: Quantity) -> Self {
        let value = quantity.value();
        let missing = DECIMALS.saturating_sub(value.scale());
        Self(value.mantissa().unsigned_abs() * 10_u128.pow(missing))
    }
}

impl From<Decimal> for Units {
    /// Of a quantity that is not negative; decimals beyond the ninth are cut.
    fn from(value: Decimal) -> Self {
        let value = value.trunc_with_scale(DECIMALS);
        let missing = DECIMALS.saturating_sub(value.scale());
        Self(value.mantissa().unsigned_abs().saturating_mul(10_u128.pow(missing)))
    }
}

impl Add for Units {
    type Output = Self;

    /// The sum, or the largest number there is.
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(text: &str) -> Units {
        Units::from(Quantity::parse(text).expect("a quantity"))
    }

    #[test]
    fn quantities_come_back() {
        for text in ["0", "1", "0.000000001", "1.5", "999999999999999999.999999999", "120"] {
            let (decimal, cut) = units(text).decimal();
            assert_eq!((decimal.to_string().as_str(), cut), (text, false));
            assert_eq!(Units::from(decimal), units(text));
        }
    }

    #[test]
    fn a_sum_stays_exact_or_says_that_it_is_a_floor() {
        let largest = units("999999999999999999.999999999");
        let mut sum = Units::ZERO;
        for _ in 0..79 {
            sum = sum + largest;
        }
        let (decimal, cut) = sum.decimal();
        assert_eq!(decimal.to_string(), "78999999999999999999.999999921");
        assert!(!cut);
        let (decimal, cut) = (sum + largest).decimal();
        assert_eq!(decimal.to_string(), "79999999999999999999.99999992");
        assert!(!cut);
        let (decimal, cut) = (sum + largest + largest).decimal();
        assert_eq!(decimal.to_string(), "80999999999999999999.99999991");
        assert!(cut);
        assert!(Units(u128::MAX).decimal().1);
    }

    #[test]
    fn whole_sums_are_exact_far_beyond() {
        let (decimal, cut) = Units::whole(u64::MAX).decimal();
        assert_eq!((decimal, cut), (Decimal::from(u64::MAX), false));
    }
}
