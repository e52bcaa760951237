//! Prices in major units: rates may be finer than a minor unit.

use std::fmt;

use minicbor::{Decoder, Encoder};
use rust_decimal::Decimal;

use crate::domain::quantity::plain_text;

/// Digits before the point: more than the largest amount has in any currency.
const WHOLE_DIGITS: u32 = 15;
/// Digits behind the point: a token of a model costs a few 10^-8, and a billionth of one must
/// still be told from nothing.
const DECIMALS: u32 = 12;

/// A price in major units: not negative, up to 15 digits before and 12 after the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MajorPrice(Decimal);

impl MajorPrice {
    /// Parses digits with an optional point; no sign, no exponent.
    pub fn parse(text: &str) -> Option<Self> {
        let shaped = text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
            && !text.starts_with('.')
            && !text.ends_with('.');
        let value = shaped.then(|| Decimal::from_str_exact(text).ok())??.normalize();
        let limit = Decimal::from(10_u64.pow(WHOLE_DIGITS));
        (value.scale() <= DECIMALS && value < limit).then_some(Self(value))
    }

    pub fn value(self) -> Decimal {
        self.0
    }
}

impl fmt::Display for MajorPrice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain_text(self.0))
    }
}

impl<C> minicbor::Encode<C> for MajorPrice {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.str(&plain_text(self.0))?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for MajorPrice {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        Self::parse(d.str()?).ok_or_else(|| minicbor::decode::Error::message("no price"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_decimals_of_some_length_are_prices() {
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1_000", " 1", "1.2.3", "١"] {
            assert!(MajorPrice::parse(text).is_none(), "{text:?} was taken");
        }
        for text in ["0.0000000000001", "1000000000000000", "0.00000000000000000000000000001"] {
            assert!(MajorPrice::parse(text).is_none(), "{text:?} was taken");
        }
        for (text, answered) in [
            ("0", "0"),
            ("1.50", "1.5"),
            ("007", "7"),
            ("0.000000000001", "0.000000000001"),
            ("999999999999999.999999999999", "999999999999999.999999999999"),
        ] {
            assert_eq!(MajorPrice::parse(text).map(|p| p.to_string()).as_deref(), Some(answered));
        }
    }
}
