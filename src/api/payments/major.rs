//! Amounts in major units as JSON numbers, with no floating point on the way: the text of the
//! number is read, and written.

use actors::domain::money::{Currency, Money, major_units};
use actors::domain::payments::amount::{AmountRefusal, minor_of_number};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use utoipa::openapi::schema::Type;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// An amount in major units, such as `12.5`.
pub struct Major(String);

impl Major {
    /// The amount of this money, without zeros that say nothing.
    pub fn of(money: Money) -> Self {
        Self(major_units(money.minor, money.currency).normalize().to_string())
    }

    /// The text of the number as it was sent.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Minor units of `currency`; above 0.
    pub fn minor(&self, currency: Currency) -> Result<i64, AmountRefusal> {
        minor_of_number(&self.0, currency)
    }
}

impl<'de> Deserialize<'de> for Major {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(from)?;
        let text = raw.get();
        let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        if is_number {
            Ok(Self(text.to_owned()))
        } else {
            Err(D::Error::custom("expected a number"))
        }
    }
}

impl Serialize for Major {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.0.clone()).map_err(S::Error::custom)?;
        raw.serialize(to)
    }
}

impl PartialSchema for Major {
    fn schema() -> RefOr<Schema> {
        let about = "An amount in major units, with no more decimals than the currency has.";
        ObjectBuilder::new().schema_type(Type::Number).description(Some(about)).into()
    }
}

impl ToSchema for Major {}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Body {
        amount: Option<Major>,
    }

    #[test]
    fn numbers_keep_their_text_and_nothing_else_is_one() {
        for text in ["12.5", "0.1", "10000000000000.01", "1e2", "-3"] {
            let body: Body = serde_json::from_str(&format!("{{\"amount\": {text}}}")).expect("one");
            assert_eq!(body.amount.expect("an amount").text(), text);
        }
        for text in ["\"12.5\"", "true", "[1]", "{}"] {
            let read = serde_json::from_str::<Body>(&format!("{{\"amount\": {text}}}"));
            assert!(read.is_err(), "{text}");
        }
        let none: Body = serde_json::from_str("{\"amount\": null}").expect("none");
        assert!(none.amount.is_none());
    }

    #[test]
    fn money_is_written_as_the_shortest_number() {
        for (minor, expected) in [(1_250, "12.5"), (1_200, "12"), (1, "0.01"), (0, "0")] {
            let major = Major::of(Money { minor, currency: Currency::EUR });
            assert_eq!(serde_json::to_string(&major).expect("a number"), expected);
        }
    }
}
