//! Metadata in one notation, so that equal JSON values are equal texts.
//!
//! Members are in order of their names at every depth, of members with one name the last counts,
//! characters are escaped only where they must be, and a number is its significant digits and
//! the power of ten behind them: exactly what was written, however large or fine.

use std::collections::BTreeMap;

use actors::domain::billing::usage::MAX_METADATA_BYTES;
use serde_json::value::RawValue;

use super::EventRefusal;
use super::text::Name;

/// The most levels of objects and lists within one another.
const MAX_DEPTH: usize = 32;

/// The canonical text of an event's metadata.
pub(super) fn of(metadata: &RawValue) -> Result<String, EventRefusal> {
    let text = metadata.get();
    if !text.starts_with('{') {
        return Err(wrong("a JSON object"));
    }
    if text.len() > MAX_METADATA_BYTES {
        return Err(wrong("at most 16384 bytes"));
    }
    let mut out = String::with_capacity(text.len());
    value(metadata, MAX_DEPTH, &mut out)?;
    Ok(out)
}

fn value(raw: &RawValue, levels: usize, out: &mut String) -> Result<(), EventRefusal> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'{' | b'[') if levels == 0 => Err(wrong("at most 32 levels of nesting")),
        Some(b'{') => members(text, levels - 1, out),
        Some(b'[') => items(text, levels - 1, out),
        Some(b'"') => string(text, out),
        Some(b'-' | b'0'..=b'9') => {
            number(text, out);
            Ok(())
        }
        _ => {
            out.push_str(text);
            Ok(())
        }
    }
}

fn members(text: &str, levels: usize, out: &mut String) -> Result<(), EventRefusal> {
    let sorted: BTreeMap<Name<'_>, &RawValue> = read(text)?;
    out.push('{');
    for (place, (name, member)) in sorted.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        quoted(&name.0, out);
        out.push(':');
        value(member, levels, out)?;
    }
    out.push('}');
    Ok(())
}

fn items(text: &str, levels: usize, out: &mut String) -> Result<(), EventRefusal> {
    let items: Vec<&RawValue> = read(text)?;
    out.push('[');
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        value(item, levels, out)?;
    }
    out.push(']');
    Ok(())
}

fn string(text: &str, out: &mut String) -> Result<(), EventRefusal> {
    if text.contains('\\') {
        quoted(&read::<Name<'_>>(text)?.0, out);
    } else {
        out.push_str(text);
    }
    Ok(())
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

/// Writes a number: `1`, `1.0` and `1e0` alike, `-0` as `0`.
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

fn read<'a, T: serde::Deserialize<'a>>(text: &'a str) -> Result<T, EventRefusal> {
    serde_json::from_str(text).map_err(|_| wrong("strings of Unicode characters"))
}

fn wrong(expected: &'static str) -> EventRefusal {
    EventRefusal::Field { field: "metadata", expected }
}
