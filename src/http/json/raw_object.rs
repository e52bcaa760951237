//! An object within a body that is read later.

use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde_json::value::RawValue;

/// An object as it came. Anything else is refused where it stands.
pub(crate) struct RawObject(Box<RawValue>);

impl RawObject {
    pub(super) fn text(&self) -> &str {
        self.0.get()
    }
}

impl<'de> Deserialize<'de> for RawObject {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(from)?;
        let found = match raw.get().as_bytes().first() {
            Some(b'{') => return Ok(Self(raw)),
            Some(b'[') => Unexpected::Seq,
            Some(b'"') => Unexpected::Str(""),
            Some(b't') => Unexpected::Bool(true),
            Some(b'f') => Unexpected::Bool(false),
            Some(b'n') => Unexpected::Unit,
            _ => Unexpected::Signed(0),
        };
        Err(D::Error::invalid_type(found, &"a map"))
    }
}
