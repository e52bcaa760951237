//! Sessions: a token in a cookie, kept as its hash.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use secrecy::{ExposeSecret, SecretString};
use storage::CborRecord;

use crate::domain::ids::{PersonId, SellerId};
use crate::domain::platform::seller::KeyHash;
use crate::domain::time::Timestamp;

/// How long a session lasts from its login, however it is used.
pub const SESSION_SECONDS: i64 = 24 * 3_600;

/// Sessions that one person has at once; a further login ends the oldest.
pub const MOST_SESSIONS: usize = 20;

/// Stored under its seller and the hash of its token; the operator's under seller 0.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Session {
    /// Absent: the operator.
    #[n(0)]
    pub person: Option<PersonId>,
    #[n(1)]
    pub created_at: Timestamp,
    #[n(2)]
    pub expires_at: Timestamp,
}

impl Session {
    pub fn new(person: Option<PersonId>, now: Timestamp) -> Self {
        Self { person, created_at: now, expires_at: now.plus_seconds(SESSION_SECONDS) }
    }

    pub fn is_open(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }
}

impl CborRecord for Session {}

/// What a browser keeps: the seller's number, a point, and 32 random bytes.
#[derive(Clone)]
pub struct SessionToken {
    pub seller: SellerId,
    text: SecretString,
}

impl SessionToken {
    pub fn from_random(seller: SellerId, bytes: &[u8; 32]) -> Self {
        let text = format!("{seller}.{}", BASE64URL_NOPAD.encode(bytes));
        Self { seller, text: text.into() }
    }

    /// A token as it is presented; `None` for what was never given out.
    pub fn parse(text: &str) -> Option<Self> {
        let (seller, random) = text.split_once('.')?;
        let digits = !seller.is_empty() && seller.bytes().all(|byte| byte.is_ascii_digit());
        if !digits || random.len() != 43 {
            return None;
        }
        Some(Self { seller: SellerId(seller.parse().ok()?), text: text.into() })
    }

    pub fn reveal(&self) -> &str {
        self.text.expose_secret()
    }

    pub fn hash(&self) -> KeyHash {
        KeyHash::of(self.reveal())
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionToken(of {}, hidden)", self.seller)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_as_it_was_given_and_hides_itself() {
        let token = SessionToken::from_random(SellerId(12), &[7; 32]);
        let read = SessionToken::parse(token.reveal()).expect("a token");
        assert_eq!((read.seller, read.hash()), (SellerId(12), token.hash()));
        assert_eq!(format!("{token:?}"), "SessionToken(of 12, hidden)");
        for strange in ["", ".", "12", "x.y", "+1.a", "12.short"] {
            assert!(SessionToken::parse(strange).is_none(), "{strange}");
        }
    }

    #[test]
    fn a_session_ends_a_day_after_its_login() {
        let now = Timestamp::from_micros(0);
        let session = Session::new(Some(PersonId(1)), now);
        assert!(session.is_open(now.plus_seconds(86_399)));
        assert!(!session.is_open(now.plus_seconds(86_400)));
    }
}
