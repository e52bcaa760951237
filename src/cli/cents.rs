//! Cents on the wire: the payments surface takes and gives major units as JSON numbers.

use actors::domain::money::{Currency, major_units};
use rust_decimal::Decimal;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Number, Value};

/// Cents, answered as a JSON number in major units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cents(pub(crate) i64);

impl Cents {
    /// The text of the JSON number, such as `120.01`.
    pub(crate) fn text(self) -> String {
        major_units(self.0, Currency::EUR).to_string()
    }

    /// The JSON number.
    pub(crate) fn json(self) -> Value {
        self.text().parse::<Number>().map_or(Value::Null, Value::Number)
    }
}

impl<'de> Deserialize<'de> for Cents {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        // The text of the number is exact; there is no arithmetic on a float.
        let text = Number::deserialize(from)?.to_string();
        let amount: Decimal = text.parse().map_err(D::Error::custom)?;
        let cents = amount.checked_mul(Decimal::ONE_HUNDRED).filter(Decimal::is_integer);
        let cents = cents.and_then(|cents| i64::try_from(cents.trunc()).ok());
        cents.map(Self).ok_or_else(|| D::Error::custom(format!("{text} is no amount")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_written_to_the_cent() {
        for (text, cents) in
            [("120.01", 12_001), ("0.07", 7), ("45", 4_500), ("1234567.89", 123_456_789)]
        {
            let value: Value = serde_json::from_str(text).expect("a number");
            let read: Result<Cents, _> = serde_json::from_value(value);
            assert_eq!(read.expect("an amount"), Cents(cents), "{text}");
        }
        for cents in (0..100_000).step_by(7).map(Cents) {
            let read: Result<Cents, _> = serde_json::from_str(&cents.json().to_string());
            assert_eq!(read.expect("an amount"), cents);
        }
        assert!(serde_json::from_str::<Cents>("0.001").is_err());
    }
}
