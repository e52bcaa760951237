//! JSON that callers may say freely, kept digit for digit: it is never read as numbers.

mod texts;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

pub use self::texts::seen;

/// What equal values have in common beside the order of members and the blanks between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// Numbers stay as they were written: `1` and `1.0` are two.
    AsWritten,
    /// A number is its significant digits and the power of ten behind them: exactly what was
    /// written, however large or fine, and `1`, `1.0` and `1e0` are one.
    ByValue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonFault {
    #[error("at most {0} levels of nesting")]
    TooDeep(usize),
    #[error("strings of Unicode characters")]
    NotText,
    #[error("texts without control characters")]
    Control,
}

/// The members of an object, in the order of their names. Of those with one name the last counts.
pub type Members<'a> = BTreeMap<Name<'a>, &'a RawValue>;

/// The name of a member, or any other text, without a copy where the document escapes none of it.
#[derive(Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name<'a>(#[serde(borrow)] pub Cow<'a, str>);

pub fn members(object: &RawValue) -> Result<Members<'_>, JsonFault> {
    read(object.get())
}

/// A value as text without blanks: members in order of their names at every depth, and characters
/// escaped only where they must be. At most `levels` of objects and lists lie within one another.
pub fn canonical(value: &RawValue, numbers: Numbers, levels: usize) -> Result<String, JsonFault> {
    let mut writer = Writer { out: String::with_capacity(value.get().len()), numbers, levels };
    writer.value(value, 0)?;
    Ok(writer.out)
}

struct Writer {
    out: String,
    numbers: Numbers,
    levels: usize,
}

impl Writer {
    fn value(&mut self, raw: &RawValue, depth: usize) -> Result<(), JsonFault> {
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'{' | b'[') if depth == self.levels => Err(JsonFault::TooDeep(self.levels)),
            Some(b'{') => self.members(text, depth + 1),
            Some(b'[') => self.items(text, depth + 1),
            Some(b'"') => self.string(text),
            Some(b'-' | b'0'..=b'9') if self.numbers == Numbers::ByValue => {
                number(text, &mut self.out);
                Ok(())
            }
            _ => {
                self.out.push_str(text);
                Ok(())
            }
        }
    }

    fn members(&mut self, text: &str, depth: usize) -> Result<(), JsonFault> {
        let sorted: Members<'_> = read(text)?;
        self.out.push('{');
        for (place, (name, member)) in sorted.into_iter().enumerate() {
            if place > 0 {
                self.out.push(',');
            }
            self.quoted(&name.0);
            self.out.push(':');
            self.value(member, depth)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn items(&mut self, text: &str, depth: usize) -> Result<(), JsonFault> {
        let items: Vec<&RawValue> = read(text)?;
        self.out.push('[');
        for (place, item) in items.into_iter().enumerate() {
            if place > 0 {
                self.out.push(',');
            }
            self.value(item, depth)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn string(&mut self, text: &str) -> Result<(), JsonFault> {
        if text.contains('\\') {
            self.quoted(&read::<Name<'_>>(text)?.0);
        } else {
            self.out.push_str(text);
        }
        Ok(())
    }

    fn quoted(&mut self, text: &str) {
        quoted(text, &mut self.out);
    }
}

/// Writes a text with the fewest escapes.
fn quoted(text: &str, out: &mut String) {
    if text.bytes().any(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.push_str(&serde_json::Value::from(text).to_string());
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}

fn number(text: &str, out: &mut String) {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, power) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_start_matches('0').trim_end_matches('0');
    if significant.is_empty() {
        return out.push('0');
    }
    // A power beyond 32 bits keeps its own notation: nobody writes such a number in two ways.
    let Ok(power) = power.parse::<i32>() else { return out.push_str(text) };
    let zeros = digits.len() - digits.trim_end_matches('0').len();
    let power = i128::from(power) + zeros as i128 - fraction.len() as i128;
    if unsigned.len() < text.len() {
        out.push('-');
    }
    out.push_str(significant);
    if power != 0 {
        out.push('e');
        out.push_str(&power.to_string());
    }
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, JsonFault> {
    serde_json::from_str(text).map_err(|_| JsonFault::NotText)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, numbers: Numbers) -> Result<String, JsonFault> {
        canonical(serde_json::from_str(text).expect("JSON"), numbers, 3)
    }

    #[test]
    fn numbers_keep_their_digits_or_their_value() {
        for (text, as_written, by_value) in [
            ("12345678901234567890123", "12345678901234567890123", "12345678901234567890123"),
            ("[1.0, 1e0]", "[1.0,1e0]", "[1,1]"),
            ("-15e-1", "-15e-1", "-15e-1"),
            ("-1.50", "-1.50", "-15e-1"),
            ("[100, -0.00e9]", "[100,-0.00e9]", "[1e2,0]"),
            ("0.1000000000000000000001", "0.1000000000000000000001", "1000000000000000000001e-22"),
        ] {
            assert_eq!(written(text, Numbers::AsWritten).as_deref(), Ok(as_written));
            assert_eq!(written(text, Numbers::ByValue).as_deref(), Ok(by_value));
        }
    }

    #[test]
    fn order_blanks_and_escapes_are_none() {
        let text = r#" { "b" : [ {"y":1, "x":[ ]} ], "\u0061" : "\u00e9\n", "b": 2 } "#;
        assert_eq!(written(text.trim(), Numbers::AsWritten).as_deref(), Ok(r#"{"a":"é\n","b":2}"#));
        assert_eq!(written("[[[]]]", Numbers::ByValue).as_deref(), Ok("[[[]]]"));
        assert_eq!(written("[[[{}]]]", Numbers::ByValue), Err(JsonFault::TooDeep(3)));
        assert_eq!(written(r#""\ud800""#, Numbers::ByValue), Err(JsonFault::NotText));
    }
}
