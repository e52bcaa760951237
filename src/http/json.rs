//! A JSON body as a typed value, with words that name the field when it is not one.

mod raw_object;
mod strict;
#[cfg(test)]
mod tests;

use std::fmt;

use actors::domain::text::ControlCharacter;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Visitor};
use serde_json::error::Category;

pub(crate) use self::raw_object::RawObject;
use self::strict::{LINES, Strict};
use super::ApiError;

/// Which field of a body is wrong and why, for the caller.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    /// The body has another shape.
    Shape(String),
    /// A text is of the right type and cannot be taken.
    Text(String),
}

/// `body` as a `T`, strictly: an object is given as one, at any depth.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Wrong> {
    read_at("", body)
}

/// The same of the part of a body that is found at `place`: what is wrong is named from there. For
/// objects whose fields depend on one of them: serde would read those from a buffer, where they
/// have lost their place, and texts are any texts.
pub(crate) fn read_part<T: DeserializeOwned>(place: &str, part: &RawObject) -> Result<T, Wrong> {
    read_at(place, part.text().as_bytes())
}

fn read_at<T: DeserializeOwned>(place: &str, text: &[u8]) -> Result<T, Wrong> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    T::deserialize(Strict::new(&mut reader))
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| explain::<T>(place, text, &error))
}

impl From<Wrong> for ApiError {
    fn from(wrong: Wrong) -> Self {
        match wrong {
            Wrong::Shape(why) => Self::invalid(format!("invalid request body: {why}")),
            Wrong::Text(text) => Self::invalid(text),
        }
    }
}

/// For a field that may have several lines: `deserialize_with` this one.
///
/// # Errors
/// As its deserializer's.
pub(crate) fn lines<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    struct Several;

    impl<'de> Visitor<'de> for Several {
        type Value = Option<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_newtype_struct<D: Deserializer<'de>>(
            self,
            from: D,
        ) -> Result<Option<String>, D::Error> {
            Option::deserialize(from)
        }
    }
    from.deserialize_newtype_struct(LINES, Several)
}

/// Reads again with the path recorded, which costs time only when the first reading failed.
fn explain<T: DeserializeOwned>(place: &str, text: &[u8], error: &serde_json::Error) -> Wrong {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let (path, why) = match serde_path_to_error::deserialize::<_, T>(Strict::new(&mut reader)) {
        Ok(_) => (String::new(), words(error)),
        Err(error) => (error.path().to_string(), words(error.inner())),
    };
    let field = match (place, path.as_str()) {
        (place, "" | "." | "?") => place.to_owned(),
        ("", path) => path.to_owned(),
        (place, path) => format!("{place}.{path}"),
    };
    if why == ControlCharacter.to_string() {
        return Wrong::Text(format!("{field} {why}"));
    }
    Wrong::Shape(if field.is_empty() { why } else { format!("{field}: {why}") })
}

/// What is wrong with a JSON text, in the words of JSON: neither the names of this program's types
/// nor what was sent, which may be a secret, are repeated. Without line and column: bodies are
/// seldom read by line.
pub(crate) fn words(error: &serde_json::Error) -> String {
    if matches!(error.classify(), Category::Syntax | Category::Eof) {
        return format!("not JSON ({error})");
    }
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(&*text, |end| &text[..end]);
    let Some((what, expected)) = text.rsplit_once(", expected ") else { return text.to_owned() };
    if what.starts_with("unknown variant ") {
        return format!("expected {expected}");
    }
    match what.split_once(": ") {
        Some(("invalid type", found)) => mismatch(found, kind(expected)),
        Some(("invalid value", found)) => match bounds(expected) {
            Some((least, u64::MAX)) => format!("expected an integer of at least {least}"),
            Some((least, most)) => format!("expected an integer from {least} to {most}"),
            None => mismatch(found, kind(expected)),
        },
        _ if what.starts_with("invalid length ") => {
            format!("expected {}, with more or fewer entries", kind(expected))
        }
        _ => text.to_owned(),
    }
}

fn mismatch(found: &str, expected: &str) -> String {
    let found = match found.split([' ', '`']).next().unwrap_or_default() {
        "integer" | "number" => "a number",
        "floating" if expected == "an integer" => {
            "a number with a point, an exponent or too many digits"
        }
        "floating" => "a number",
        "string" | "character" => "a string",
        "boolean" => "a boolean",
        "null" | "unit" => "null",
        "sequence" => "a list",
        "map" => "an object",
        _ => return format!("expected {expected}"),
    };
    if found == expected {
        return format!("{found} that is not taken here");
    }
    format!("expected {expected}, not {found}")
}

/// What serde says that it expects, as a caller knows it.
fn kind(expected: &str) -> &str {
    match expected {
        _ if bounds(expected).is_some() => "an integer",
        "f32" | "f64" => "a number",
        "bool" => "a boolean",
        "str" | "a borrowed string" | "a character" | "string or map" => "a string",
        "a map" | "map" => "an object",
        "a sequence" | "sequence" => "a list",
        "unit" => "null",
        _ if expected.starts_with("struct ") => "an object",
        _ if expected.starts_with("tuple ") || expected.starts_with("an array of ") => "a list",
        _ if expected.starts_with("enum ") || expected.starts_with("variant ") => "a string",
        // The words of a type that has its own.
        own => own,
    }
}

/// The bounds of an integer type, by its name.
fn bounds(expected: &str) -> Option<(i64, u64)> {
    Some(match expected {
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" | "usize" => (0, u64::MAX),
        "i8" => (i8::MIN.into(), i8::MAX as u64),
        "i16" => (i16::MIN.into(), i16::MAX as u64),
        "i32" => (i32::MIN.into(), i32::MAX as u64),
        "i64" | "isize" => (i64::MIN, i64::MAX as u64),
        _ => return None,
    })
}
