//! Cents on the wire: the payments surface takes and gives major units as JSON numbers.

use actors::domain::money::{Currency, major_units};
use rust_decimal::Decimal;
use serde_json::Value;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cents(pub(crate) i64);

impl Cents {
    /// The cents of a JSON number in major units, if it has no part of a cent.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        // The text of the number is exact; there is no arithmetic on a float.
        let amount: Decimal = value.as_number()?.to_string().parse().ok()?;
        let cents = amount.checked_mul(Decimal::ONE_HUNDRED).filter(Decimal::is_integer)?;
        i64::try_from(cents.trunc()).ok().map(Self)
    }

    /// The text of the JSON number, such as `120.01`.
    pub(crate) fn text(self) -> String {
        major_units(self.0, Currency::EUR).to_string()
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
            assert_eq!(Cents::of(&value), Some(Cents(cents)), "{text}");
        }
        for cents in (0..100_000).step_by(7).map(Cents) {
            let value: Value = serde_json::from_str(&cents.text()).expect("a number");
            assert_eq!(Cents::of(&value), Some(cents));
        }
        assert_eq!(Cents::of(&serde_json::json!(0.001)), None);
    }
}
