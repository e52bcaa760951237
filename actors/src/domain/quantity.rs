//! Exact decimals as requests state them: quantities and tax rates, in plain notation
//! without exponent, sign or needless zeros.

use std::fmt;

use minicbor::{Decoder, Encoder};
use rust_decimal::Decimal;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A quantity: not negative, up to 18 digits before and 9 after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity(Decimal);

/// A tax rate in percent: 0 to 100 with at most 4 decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaxRate(Decimal);

impl Quantity {
    pub const ONE: Self = Self(Decimal::ONE);
    pub const ZERO: Self = Self(Decimal::ZERO);

    /// Parses digits with an optional point; no sign, no exponent.
    pub fn parse(text: &str) -> Option<Self> {
        plain(text, 18, 9).map(Self)
    }

    pub fn whole(units: u32) -> Self {
        Self(Decimal::from(units))
    }

    /// What was measured: a sum of quantities may be longer than one of them. Below 0 is 0.
    pub fn measured(value: Decimal) -> Self {
        Self(value.max(Decimal::ZERO).normalize())
    }

    pub fn value(self) -> Decimal {
        self.0
    }
}

impl TaxRate {
    pub const ZERO: Self = Self(Decimal::ZERO);

    /// Parses digits with an optional point, at most `100` and 4 decimals.
    pub fn parse(text: &str) -> Option<Self> {
        plain(text, 3, 4).filter(|rate| *rate <= Decimal::ONE_HUNDRED).map(Self)
    }

    /// Percent, exact.
    pub fn percent(self) -> Decimal {
        self.0
    }
}

/// A decimal in plain notation: no exponent, no plus sign, no trailing zeros.
pub fn plain_text(value: Decimal) -> String {
    value.normalize().to_string()
}

fn plain(text: &str, whole_digits: usize, fraction_digits: usize) -> Option<Decimal> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let significant = whole.trim_start_matches('0').len();
    let shaped = !whole.is_empty()
        && !text.ends_with('.')
        && digits(whole)
        && digits(fraction)
        && significant <= whole_digits
        && whole.len() <= whole_digits + 9
        && fraction.len() <= fraction_digits;
    shaped.then(|| Decimal::from_str_exact(text).ok())?.map(|value| value.normalize())
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain_text(self.0))
    }
}

impl fmt::Display for TaxRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain_text(self.0))
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom(
                "expected a decimal string, not negative, up to 18 digits before and 9 after the point",
            )
        })
    }
}

impl Serialize for TaxRate {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for TaxRate {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| {
            serde::de::Error::custom("expected a percent string from 0 to 100, at most 4 decimals")
        })
    }
}

fn encode_decimal<W: minicbor::encode::Write>(
    value: Decimal,
    e: &mut Encoder<W>,
) -> Result<(), minicbor::encode::Error<W::Error>> {
    e.str(&plain_text(value))?.ok()
}

fn decode_decimal(d: &mut Decoder<'_>) -> Result<Decimal, minicbor::decode::Error> {
    Decimal::from_str_exact(d.str()?).map_err(minicbor::decode::Error::message)
}

impl<C> minicbor::Encode<C> for Quantity {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        encode_decimal(self.0, e)
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Quantity {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        decode_decimal(d).map(Self)
    }
}

impl<C> minicbor::Encode<C> for TaxRate {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        encode_decimal(self.0, e)
    }
}

impl<'b, C> minicbor::Decode<'b, C> for TaxRate {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        decode_decimal(d).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimals_are_quantities() {
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1_000", " 1", "1.0000000001", "١"] {
            assert!(Quantity::parse(text).is_none(), "{text:?} was taken");
        }
        for (text, answered) in
            [("0", "0"), ("1.50", "1.5"), ("007", "7"), ("0.000000001", "0.000000001")]
        {
            assert_eq!(Quantity::parse(text).map(|q| q.to_string()).as_deref(), Some(answered));
        }
        assert!(Quantity::parse("999999999999999999.999999999").is_some());
        assert!(Quantity::parse("1000000000000000000").is_none());
    }

    #[test]
    fn a_tax_rate_lies_between_0_and_100() {
        assert!(TaxRate::parse("100").is_some());
        assert!(TaxRate::parse("21.1234").is_some());
        assert!(TaxRate::parse("100.0001").is_none());
        assert!(TaxRate::parse("21.12345").is_none());
    }
}
