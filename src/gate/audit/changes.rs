//! What the audit log says of what was asked for. It is read as handlers read it, so that nothing
//! can be sent beside a field that keeps the log from telling of it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use actors::domain::platform::audit::VALUE_LENGTH;
use actors::domain::text;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::http::route::Fields;

/// Fields of which the log says only that they were there.
const SECRET: [&str; 9] = [
    "password",
    "secretKey",
    "secret",
    "token",
    "iban",
    "accountNumber",
    "routingNumber",
    "sortCode",
    // Of a payee it is sealed at rest.
    "taxId",
];

/// What nests deeper is told as it was written.
const DEEPEST: usize = 16;

pub(crate) fn is_secret(name: &str) -> bool {
    SECRET.contains(&name)
}

/// The fields of an object that are known, as JSON: without what nobody may read, and each value
/// cut by itself. What is not known nobody acts upon, so it is passed over, whatever it holds.
/// `None` of what is no object.
pub(crate) fn changes(json: &[u8], known: &Fields) -> Option<String> {
    // Bytes that are no text can only stand in what is passed over.
    object(&String::from_utf8_lossy(json), known)
}

fn object(json: &str, known: &Fields) -> Option<String> {
    let stated: BTreeMap<String, &RawValue> = serde_json::from_str(json).ok()?;
    let parts = stated.iter().filter_map(|(name, value)| {
        let within = known.within(name)?;
        Some(field(name, value, |value| value_shown(value, within)))
    });
    Some(braced(parts))
}

fn value_shown(json: &str, known: &Fields) -> String {
    let nested = if known.is_empty() { None } else { object(json, known) };
    if let Some(nested) = nested {
        return nested;
    }
    match text_of(json) {
        Some(text) => quoted(&beginning(&text).unwrap_or(text)),
        None => {
            let json = shown(json, 0);
            beginning(&json).map_or(json, |text| quoted(&text))
        }
    }
}

/// A text without what handlers leave out of it, which else could fill it up to where it is cut.
/// Some of them keep the blanks around it, which say nothing.
fn text_of(json: &str) -> Option<String> {
    let text: String = serde_json::from_str(json).ok()?;
    Some(seen(&text).trim().to_owned())
}

/// Without what cannot be seen. One that is refused for what it holds stays as it came.
fn seen(text: &str) -> Cow<'_, str> {
    text::in_document(text).unwrap_or(Cow::Borrowed(text))
}

/// Of a text that is too long.
fn beginning(text: &str) -> Option<String> {
    let (end, _) = text.char_indices().nth(VALUE_LENGTH)?;
    Some(format!("{}…", &text[..end]))
}

/// JSON without secrets and without blanks, its numbers as they were written.
fn shown(json: &str, depth: usize) -> String {
    let nested = |json: &str| shown(json, depth + 1);
    let inner = match json.as_bytes().first() {
        Some(b'{') if depth < DEEPEST => {
            let fields: Option<BTreeMap<String, &RawValue>> = serde_json::from_str(json).ok();
            fields.map(|all| braced(all.iter().map(|(name, value)| field(name, value, nested))))
        }
        Some(b'[') if depth < DEEPEST => {
            let items: Option<Vec<&RawValue>> = serde_json::from_str(json).ok();
            items.map(|all| format!("[{}]", joined(all.iter().map(|item| nested(item.get())))))
        }
        Some(b'"') => text_of(json).map(|text| quoted(&text)),
        _ => None,
    };
    inner.unwrap_or_else(|| json.to_owned())
}

fn field(name: &str, value: &RawValue, show: impl FnOnce(&str) -> String) -> String {
    let name = seen(name);
    let value = if is_secret(&name) { quoted("hidden") } else { show(value.get()) };
    format!("{}:{value}", quoted(&name))
}

fn braced(fields: impl Iterator<Item = String>) -> String {
    format!("{{{}}}", joined(fields))
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(names: &[&str]) -> Fields {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn webhook(body: &[u8]) -> Option<String> {
        changes(body, &known(&["eventTypes", "webhookUrl"]))
    }

    #[test]
    fn what_is_not_known_hides_nothing_whatever_it_holds() {
        let url = r#""webhookUrl":"https://evil.example/x""#;
        let (long, deep) = ("a".repeat(3_000), "[".repeat(200) + &"]".repeat(200));
        for odd in [r#""1""#, "1e999", r#""\ud800""#, &format!("\"{long}\""), &deep] {
            for body in [format!("{{\"a\":{odd},{url}}}"), format!("{{{url},\"z\":{odd}}}")] {
                assert_eq!(webhook(body.as_bytes()), Some(format!("{{{url}}}")), "{body}");
            }
        }
        let many: String = (0..3_000).map(|n| format!("\"a{n}\":1,")).collect();
        let body = format!("{{{many}{url}}}");
        assert_eq!(webhook(body.as_bytes()), Some(format!("{{{url}}}")));
        let no_text = [b"{\"a\":\"\xff\",".as_slice(), url.as_bytes(), b"}"].concat();
        assert_eq!(webhook(&no_text), Some(format!("{{{url}}}")));
    }

    #[test]
    fn a_long_value_is_cut_by_itself() {
        let types = format!("[{}\"x\"]", " \"x\",\n".repeat(1_000));
        let body = format!(r#"{{"eventTypes":{types},"webhookUrl":"https://evil.example/x"}}"#);
        let told: Value = webhook(body.as_bytes()).expect("an object").parse().expect("JSON");
        assert_eq!(told["webhookUrl"], "https://evil.example/x");
        let types = told["eventTypes"].as_str().expect("the beginning");
        assert!(types.starts_with(r#"["x","x","x","#), "{types}");
        assert_eq!(types.chars().count(), VALUE_LENGTH + 1);
        let long = "ü".repeat(VALUE_LENGTH);
        let whole = format!(r#"{{"webhookUrl":"{long}"}}"#);
        assert_eq!(webhook(whole.as_bytes()), Some(whole));
        let longer = format!(r#"{{"webhookUrl":"{long}ü"}}"#);
        assert_eq!(webhook(longer.as_bytes()), Some(format!(r#"{{"webhookUrl":"{long}…"}}"#)));
    }

    #[test]
    fn what_handlers_leave_out_of_a_text_keeps_none_of_it_from_being_told() {
        let told = r#"{"eventTypes":["x",{"token":"hidden","y":"z"}],"webhookUrl":"http://a.b"}"#;
        let raw = ("\u{200b}".repeat(VALUE_LENGTH), " ".repeat(VALUE_LENGTH));
        let escaped = (r"\u2060".repeat(VALUE_LENGTH), r"\n".repeat(VALUE_LENGTH));
        for (hidden, blank) in [raw, escaped] {
            let types = format!(r#"["{hidden}x",{{"{hidden}y":"{blank}z","to{hidden}ken":"t"}}]"#);
            let url = format!("{blank}{hidden}http://a{hidden}.b{blank}");
            let body = format!(r#"{{"eventTypes":{types},"webhookUrl":"{url}"}}"#);
            assert_eq!(webhook(body.as_bytes()).as_deref(), Some(told));
        }
    }

    #[test]
    fn a_text_that_is_refused_stays_as_it_came() {
        let body = r#"{"webhookUrl":"a\u0007\u200b"}"#;
        let told: Value = webhook(body.as_bytes()).expect("an object").parse().expect("JSON");
        assert_eq!(told["webhookUrl"], "a\u{7}\u{200b}");
    }

    #[test]
    fn no_secret_is_told_and_numbers_stay_as_they_were_written() {
        let body = br#" { "b" : { "iban" : "DE1", "rate" : 1.50 }, "taxId" : "1" ,
            "a": [ { "token": "t", "x": "a b" }, 1e999 ] } "#;
        let expected = concat!(
            r#"{"a":[{"token":"hidden","x":"a b"},1e999],"#,
            r#""b":{"iban":"hidden","rate":1.50},"taxId":"hidden"}"#,
        );
        let told = changes(body, &known(&["a", "b", "taxId"]));
        assert_eq!(told.as_deref(), Some(expected));
    }

    #[test]
    fn what_is_no_object_tells_nothing() {
        for body in ["", "[]", "7", "{"] {
            assert_eq!(webhook(body.as_bytes()), None, "{body}");
        }
        assert_eq!(webhook(b"{}").as_deref(), Some("{}"));
    }
}
