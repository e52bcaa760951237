//! E-mail addresses: stored as first given, compared in lower case.

use std::fmt;
use std::hash::{Hash, Hasher};

use email_address::{EmailAddress, Options};
use minicbor::{Decoder, Encoder};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The longest address that mail servers carry, in bytes.
const MAX_BYTES: usize = 254;

/// A plain address, `local@domain.tld`: no display name, no quotes, no spaces.
/// Two addresses that differ in capitals only are equal.
#[derive(Clone)]
pub struct Email(String);

impl Email {
    pub fn parse(text: &str) -> Option<Self> {
        let options =
            Options::default().without_display_text().without_domain_literal().with_required_tld();
        let plain = text.len() <= MAX_BYTES
            && !text
                .contains(|c: char| c.is_whitespace() || c.is_control() || "\"<>()".contains(c))
            && EmailAddress::parse_with_options(text, options).is_ok();
        plain.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address in lower case: what it is compared and looked up by.
    pub fn folded(&self) -> String {
        self.0.to_lowercase()
    }
}

impl PartialEq for Email {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0 || self.folded() == other.folded()
    }
}

impl Eq for Email {}

impl Hash for Email {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.folded().hash(state);
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Email({})", self.0)
    }
}

impl Serialize for Email {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Email {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text)
            .ok_or_else(|| serde::de::Error::custom("expected a plain e-mail address"))
    }
}

impl<C> minicbor::Encode<C> for Email {
    fn encode<W: minicbor::encode::Write>(
        &self,
        e: &mut Encoder<W>,
        _: &mut C,
    ) -> Result<(), minicbor::encode::Error<W::Error>> {
        e.str(&self.0)?.ok()
    }
}

/// A stored address is taken as it is: rows outlive the rules that once let them in.
impl<'b, C> minicbor::Decode<'b, C> for Email {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, minicbor::decode::Error> {
        d.str().map(|text| Self(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_addresses_are_taken() {
        for text in ["ada@example.com", "Ada.Byron+x@mail.example.co.uk", "bücher@exämple.de"] {
            assert!(Email::parse(text).is_some(), "{text:?} was refused");
        }
        for text in [
            "",
            "ada",
            "@example.com",
            "ada@",
            "ada@example",
            "Ada <ada@example.com>",
            "<ada@example.com>",
            " ada@example.com",
            "ada@example.com\n",
            "a b@example.com",
            "\"a b\"@example.com",
            "ada@[127.0.0.1]",
            "ada@@example.com",
            "ada@example..com",
        ] {
            assert!(Email::parse(text).is_none(), "{text:?} was taken");
        }
        let long = format!("{}@{}.com", "a".repeat(60), "b.".repeat(100));
        assert!(Email::parse(&long).is_none());
    }

    #[test]
    fn capitals_make_no_other_address_and_are_kept() {
        let first = Email::parse("Ada@Example.com").expect("an address");
        let second = Email::parse("ada@example.COM").expect("an address");
        assert_eq!(first, second);
        assert_eq!(first.as_str(), "Ada@Example.com");
        assert_eq!(second.folded(), "ada@example.com");
    }
}
