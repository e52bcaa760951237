//! What a form sends: `application/x-www-form-urlencoded` or a JSON object.

use std::collections::BTreeMap;
use std::fmt;

use actors::domain::payments::card::CardInput;
use secrecy::SecretString;
use serde_json::Value;
use zeroize::Zeroizing;

use crate::gate::Request;

/// The fields of a form, wiped when they are dropped and hidden from `Debug`. Of a field that
/// is sent twice the first counts.
#[derive(Default)]
pub struct Fields(BTreeMap<String, Zeroizing<String>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid request body")]
pub struct NoForm;

/// What may be shown again when a form is answered with its problems: never the card's number,
/// never its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// `MM / YY`.
    pub expiry: String,
    pub holder: String,
    pub country: String,
    pub zip: String,
    pub save_card: bool,
}

impl Fields {
    pub(crate) fn of(request: &Request) -> Result<Self, NoForm> {
        Self::parse(request.header("content-type").unwrap_or_default(), &request.body)
    }

    /// Reads a body; JSON if its content type says so.
    pub fn parse(content_type: &str, body: &[u8]) -> Result<Self, NoForm> {
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        if media_type.eq_ignore_ascii_case("application/json") {
            return Self::from_json(body);
        }
        let mut fields = Self::default();
        for (name, value) in form_urlencoded::parse(body) {
            fields.add(name.into_owned(), value.into_owned());
        }
        Ok(fields)
    }

    /// The field of this name, without the space around it; empty when it was not sent.
    pub fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.trim())
    }

    /// The same with the space around it, which may be part of a password.
    pub fn exact(&self, name: &str) -> &str {
        self.0.get(name).map_or("", |value| value.as_str())
    }

    pub fn card(&self) -> CardInput {
        let (month, year) = self.expiry();
        CardInput {
            number: SecretString::from(self.text("cardNumber")),
            cvv: SecretString::from(self.text("cvv")),
            exp_month: whole(month),
            exp_year: whole(year).map(with_century),
            holder: self.text("holderName").to_owned(),
            country: self.text("country").to_owned(),
            zip: self.text("zip").to_owned(),
        }
    }

    pub fn typed(&self) -> Typed {
        Typed {
            expiry: match (self.text("expiry"), self.expiry()) {
                ("", ("", "")) => String::new(),
                ("", (month, year)) => format!("{month} / {year}"),
                (typed, _) => typed.to_owned(),
            },
            holder: self.text("holderName").to_owned(),
            country: self.text("country").to_owned(),
            zip: self.text("zip").to_owned(),
            save_card: self.is_set("saveCard"),
        }
    }

    /// Month and year of the card's end: of one field, however they stand there, or of a field for
    /// each.
    fn expiry(&self) -> (&str, &str) {
        let typed = self.text("expiry");
        let mut parts = typed.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
        match (parts.next(), parts.next(), parts.next()) {
            _ if typed.is_empty() => (self.text("expMonth"), self.text("expYear")),
            (Some(year), Some(month), None) if year.len() == 4 => (month, year),
            (Some(month), Some(year), None) => (month, year),
            (Some(both), None, _) if (3..=6).contains(&both.len()) => {
                both.split_at(2 - both.len() % 2)
            }
            _ => ("", ""),
        }
    }

    /// Whether a box was ticked.
    pub fn is_set(&self, name: &str) -> bool {
        matches!(self.text(name), "true" | "on" | "1" | "yes")
    }

    fn from_json(body: &[u8]) -> Result<Self, NoForm> {
        let sent: BTreeMap<String, Value> = serde_json::from_slice(body).map_err(|_| NoForm)?;
        let mut fields = Self::default();
        for (name, value) in sent {
            match value {
                Value::String(text) => fields.add(name, text),
                Value::Number(number) => fields.add(name, number.to_string()),
                Value::Bool(truth) => fields.add(name, truth.to_string()),
                Value::Null => {}
                Value::Array(_) | Value::Object(_) => return Err(NoForm),
            }
        }
        Ok(fields)
    }

    fn add(&mut self, name: String, value: String) {
        self.0.entry(name).or_insert_with(|| Zeroizing::new(value));
    }
}

impl fmt::Debug for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn whole(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.len() <= 4 && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// Cards print two digits of the year; they mean this century.
fn with_century(year: i64) -> i64 {
    if year < 100 { 2000 + year } else { year }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = "application/x-www-form-urlencoded";

    #[test]
    fn forms_and_json_say_the_same() {
        let form = b"cardNumber=4242+4242+4242+4242&expMonth=12&expYear=30&cvv=123&holderName=Ada";
        let json = br#"{"cardNumber":"4242424242424242","expMonth":12,"expYear":2030,
            "cvv":"123","holderName":"Ada","saveCard":false,"unknown":null}"#;
        for (content_type, body) in
            [(FORM, &form[..]), ("", form), ("Application/JSON; charset=utf-8", json)]
        {
            let fields = Fields::parse(content_type, body).expect("a form");
            let card = fields.card().check().expect("a card");
            assert_eq!(card.number(), "4242424242424242");
            assert_eq!((card.expiry.year, card.expiry.month), (2030, 12));
            assert_eq!(card.holder.as_deref(), Some("Ada"));
        }
    }

    #[test]
    fn what_is_no_form_is_told() {
        for body in ["", "[]", "1", r#"{"cardNumber":["4242"]}"#, r#"{"a":{}}"#, "{"] {
            assert_eq!(
                Fields::parse("application/json", body.as_bytes()).err(),
                Some(NoForm),
                "{body}"
            );
        }
        assert_eq!(Fields::parse(FORM, b"").expect("empty").text("action"), "");
    }

    #[test]
    fn of_two_values_the_first_counts() {
        let fields = Fields::parse(FORM, b"action=cancel&action=approve").expect("a form");
        assert_eq!(fields.text("action"), "cancel");
    }

    #[test]
    fn numbers_that_are_none_are_absent() {
        for month in ["", "x", "-1", "1.5", "12.0", "99999", "+1"] {
            let body = format!("expMonth={month}").replace('+', "%2B");
            let fields = Fields::parse(FORM, body.as_bytes()).expect("a form");
            assert_eq!(fields.card().exp_month, None, "{month}");
        }
    }

    #[test]
    fn one_field_takes_the_expiry_as_cards_and_people_write_it() {
        let expiry = |typed: &str| {
            let body = format!("expiry={}", typed.replace(' ', "+"));
            let card = Fields::parse(FORM, body.as_bytes()).expect("a form").card();
            (card.exp_month, card.exp_year)
        };
        for typed in ["12 / 30", "12/30", "1230", "12-2030", "122030", "12 2030", "2030-12"] {
            assert_eq!(expiry(typed), (Some(12), Some(2030)), "{typed}");
        }
        assert_eq!((expiry("1/30"), expiry("130")), ((Some(1), Some(2030)), (Some(1), Some(2030))));
        for typed in ["x", "12", "1", "12/30/1", "1234567", "/"] {
            assert_ne!(expiry(typed).1.zip(expiry(typed).0), Some((2030, 12)), "{typed}");
        }
        let two = Fields::parse(FORM, b"expMonth=12&expYear=30").expect("a form");
        assert_eq!(two.typed().expiry, "12 / 30");
    }

    #[test]
    fn secrets_are_neither_printed_nor_shown_again() {
        let fields =
            Fields::parse(FORM, b"cardNumber=4242424242424242&cvv=987&expMonth=5").expect("a form");
        let printed = format!("{fields:?} {:?} {:?}", fields.typed(), fields.card());
        assert!(!printed.contains("4242") && !printed.contains("987"), "{printed}");
    }
}
