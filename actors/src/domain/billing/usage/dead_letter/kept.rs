//! How much of an event is kept: all that it says as an event, unless no row could hold that.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Kept;

/// The largest event that is kept whole, in bytes of its JSON.
pub const MAX_EVENT_BYTES: usize = 32 * 1024;

/// How much is kept of each field of a larger one, in characters of its JSON.
const CUT_CHARS: usize = 1_000;

/// The fields of an event: what else a large one says is dropped.
const FIELDS: [&str; 6] =
    ["contractId", "metric", "quantity", "occurredAt", "idempotencyKey", "metadata"];

/// The event, and how it is kept. A large one loses first what is no field of an event, which
/// counts for nothing.
pub(super) fn kept(event: String, form: Kept) -> (String, Kept) {
    if event.len() <= MAX_EVENT_BYTES {
        return (event, form);
    }
    let members = serde_json::from_str(&event).ok().filter(|_| form == Kept::Whole);
    let Some(Members(mut members)) = members else {
        let text = serde_json::from_str::<&RawValue>(&event).map_or("{}".into(), short);
        return (text.into_owned(), Kept::Cut);
    };
    members.retain(|(name, _)| FIELDS.contains(&&**name));
    let whole = object(members.iter().map(|(name, value)| (name, Cow::Borrowed(value.get()))));
    if whole.len() <= MAX_EVENT_BYTES {
        return (whole, form);
    }
    // A name may stand there again and again.
    members.truncate(FIELDS.len());
    (object(members.iter().map(|(name, value)| (name, short(value)))), Kept::Cut)
}

fn object<'a>(members: impl Iterator<Item = (&'a Cow<'a, str>, Cow<'a, str>)>) -> String {
    let members = members.map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

/// The JSON of a value itself when it is small, else the beginning of its text and how long it
/// was.
fn short(value: &RawValue) -> Cow<'_, str> {
    let json = value.get();
    let text = serde_json::from_str::<String>(json).map_or(Cow::Borrowed(json), Cow::Owned);
    match text.char_indices().nth(CUT_CHARS) {
        None => Cow::Borrowed(json),
        Some((end, _)) => {
            let cut = format!("{}… (cut, {} characters)", &text[..end], text.chars().count());
            Cow::Owned(serde_json::Value::String(cut).to_string())
        }
    }
}

/// The members of an object as they stand there, one name twice too.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }

        from.deserialize_map(Object)
    }
}
