//! Numbers that never round and never run over. A quantity of 28 digits times a price of 27 is
//! longer than a decimal of 96 bits, and an amount that is cut silently is a wrong amount.

use std::cmp::Ordering;
use std::fmt;

use minicbor::{Decoder, Encoder};
use num_bigint::BigUint;
use rust_decimal::Decimal;

use super::major_price::MajorPrice;
use crate::domain::quantity::Quantity;

/// A decimal that is not negative and has as many digits as it takes.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    digits: BigUint,
    decimals: u32,
}

impl Exact {
    pub fn whole(number: u64) -> Self {
        Self { digits: number.into(), decimals: 0 }
    }

    pub(super) fn of(digits: BigUint, decimals: u32) -> Self {
        Self { digits, decimals }
    }

    pub fn is_zero(&self) -> bool {
        self.digits == BigUint::ZERO
    }

    pub fn plus(&self, other: &Self) -> Self {
        let (mine, theirs, decimals) = self.aligned(other);
        Self { digits: mine + theirs, decimals }
    }

    /// The difference, but nothing where `other` is more.
    pub fn less(&self, other: &Self) -> Self {
        let (mine, theirs, decimals) = self.aligned(other);
        let digits = if mine > theirs { mine - theirs } else { BigUint::ZERO };
        Self { digits, decimals }
    }

    pub fn times(&self, other: &Self) -> Self {
        Self { digits: &self.digits * &other.digits, decimals: self.decimals + other.decimals }
    }

    /// How many of `part`, which is above 0, it takes to reach it.
    pub fn parts_begun(&self, part: &Self) -> Self {
        let (mine, part, _) = self.aligned(part);
        Self { digits: (mine + &part - 1_u32) / part, decimals: 0 }
    }

    /// As a fraction of whole numbers, after multiplying by 10^`shift`.
    pub(super) fn fraction(&self, shift: u32) -> (BigUint, BigUint) {
        match self.decimals.checked_sub(shift) {
            Some(decimals) => (self.digits.clone(), ten_to(decimals)),
            None => (&self.digits * ten_to(shift - self.decimals), ten_to(0)),
        }
    }

    pub fn quantity(&self) -> Option<Quantity> {
        Quantity::parse(&self.to_string())
    }

    fn aligned(&self, other: &Self) -> (BigUint, BigUint, u32) {
        let decimals = self.decimals.max(other.decimals);
        (self.scaled(decimals), other.scaled(decimals), decimals)
    }

    fn scaled(&self, decimals: u32) -> BigUint {
        if self.decimals == decimals {
            return self.digits.clone();
        }
        &self.digits * ten_to(decimals - self.decimals)
    }

    fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = BigUint::parse_bytes(format!("{whole}{fraction}").as_bytes(), 10)?;
        Some(Self { digits, decimals: u32::try_from(fraction.len()).ok()? })
    }
}

fn ten_to(power: u32) -> BigUint {
    match 10_u128.checked_pow(power) {
        Some(number) => BigUint::from(number),
        None => BigUint::from(10_u32).pow(power),
    }
}

impl From<Decimal> for Exact {
    /// Of a number that is not negative; one that is counts as nothing.
    fn from(value: Decimal) -> Self {
        let digits = BigUint::try_from(value.mantissa()).unwrap_or_default();
        Self { digits, decimals: value.scale() }
    }
}

impl From<Quantity> for Exact {
    fn from(quantity: Quantity) -> Self {
        quantity.value().into()
    }
}

impl From<MajorPrice> for Exact {
    fn from(price: MajorPrice) -> Self {
        price.value().into()
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Self) -> Ordering {
        let (mine, theirs, _) = self.aligned(other);
        mine.cmp(&theirs)
    }
}

impl fmt::Display for Exact {
    /// Plain: no exponent, no trailing zeros.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.digits.to_string();
        let decimals = self.decimals as usize;
        let digits = format!("{digits:0>width$}", width = decimals + 1);
        let (whole, fraction) = digits.split_at(digits.len() - decimals);
        match fraction.trim_end_matches('0') {
            "" => f.write_str(whole),
            fraction => write!(f, "{whole}.{fraction}"),
        }
    }
}

impl<C> minicbor::Encode<C> for Exact {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.str(&self.to_string())?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Exact {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        Self::parse(d.str()?).ok_or_else(|| minicbor::decode::Error::message("no plain decimal"))
    }
}
