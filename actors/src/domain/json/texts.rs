//! The texts in a document.

use std::borrow::Cow;

use serde_json::value::RawValue;

use super::{JsonFault, Name, quoted, read};
use crate::domain::text;

/// The document without what cannot be seen in its texts and names; all else is as it was written.
pub fn seen(document: &RawValue) -> Result<Cow<'_, RawValue>, JsonFault> {
    if is_plain(document.get()) {
        return Ok(Cow::Borrowed(document));
    }
    let (mut out, mut rest) = (String::with_capacity(document.get().len()), document.get());
    while let Some(place) = rest.find('"') {
        let (before, from) = rest.split_at(place);
        let (literal, behind) = from.split_at(length(from));
        out.push_str(before);
        put(literal, &mut out)?;
        rest = behind;
    }
    out.push_str(rest);
    RawValue::from_string(out).map(Cow::Owned).map_err(|_| JsonFault::NotText)
}

/// Whether nothing in it is hidden or escaped. Blanks between texts may end lines.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t') && byte != b'\\')
}

/// Bytes of the literal, in quotes, that `text` begins with.
fn length(text: &str) -> usize {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |place| place + 2)
}

fn put(literal: &str, out: &mut String) -> Result<(), JsonFault> {
    if is_plain(literal) {
        out.push_str(literal);
        return Ok(());
    }
    let said = read::<Name<'_>>(literal)?;
    let seen = text::in_document(&said.0).map_err(|_| JsonFault::Control)?;
    match seen == said.0 {
        true => out.push_str(literal),
        false => quoted(&seen, out),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_of(text: &str) -> Result<String, JsonFault> {
        let document: &RawValue = serde_json::from_str(text).expect("JSON");
        seen(document).map(|document| document.get().to_owned())
    }

    #[test]
    fn what_cannot_be_seen_is_left_out_of_texts_and_names_at_every_depth() {
        for (sent, left) in [
            ("{\"a\u{200B}b\": \"safe\u{202E}cod.exe\"}", r#"{"ab": "safecod.exe"}"#),
            (r#"{"n\u200bame":["x\ufeff",{"y":"\u2066z\u2069"}]}"#, r#"{"name":["x",{"y":"z"}]}"#),
            (r#"{"q": "say \"\u200bhi\"\\"}"#, r#"{"q": "say \"hi\"\\"}"#),
            ("[\"\u{200B}\"]", r#"[""]"#),
        ] {
            assert_eq!(left_of(sent).as_deref(), Ok(left), "{sent}");
        }
    }

    #[test]
    fn all_else_stays_as_it_was_written() {
        for text in [
            "{ \"b\" : 1.50,\r\n\t\"a\":[1e0, -0.0, 12345678901234567890123] }",
            r#"{"a":"\u00e9 é \"\\\" \n\r\t \/"}"#,
            "\"שלום\u{200F} A\u{200E}\"",
            "1.000000000000000000000000000001",
        ] {
            assert_eq!(left_of(text).as_deref(), Ok(text));
        }
    }

    #[test]
    fn control_characters_are_refused_however_they_are_written() {
        for text in [r#"{"a":"\u0000"}"#, r#"{"\u001b":1}"#, "[\"a\u{85}\"]", "\"a\u{2028}b\""] {
            assert_eq!(left_of(text), Err(JsonFault::Control), "{text}");
        }
        assert_eq!(left_of(r#"["\ud800"]"#), Err(JsonFault::NotText));
    }
}
