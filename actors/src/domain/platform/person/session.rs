//! Sessions: a token in a cookie, kept as its hash.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use minicbor::bytes::ByteArray;
use secrecy::{ExposeSecret, SecretString};
use sha2::Sha256;
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
    /// What is kept of the operator's token that it was begun with.
    #[n(3)]
    pub begun_with: Option<ByteArray<32>>,
}

/// Who begins a session.
#[derive(Clone, Debug)]
pub enum Visitor {
    Person(PersonId),
    /// Whoever has this token.
    Operator(SecretString),
}

impl Session {
    pub fn new(visitor: &Visitor, token: &SessionToken, now: Timestamp) -> Self {
        let (person, begun_with) = match visitor {
            Visitor::Person(person) => (Some(*person), None),
            Visitor::Operator(operator) => (None, Some(token.keeps(operator))),
        };
        let expires_at = now.plus_seconds(SESSION_SECONDS);
        Self { person, created_at: now, expires_at, begun_with }
    }

    pub fn is_open(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }

    /// Whether it is the operator's, begun with the operator's token that is in force: who changes
    /// that token ends the sessions of whoever had the one before.
    pub fn is_operators(&self, token: &SessionToken, operator: &SecretString) -> bool {
        self.person.is_none() && self.begun_with == Some(token.keeps(operator))
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

    /// What a session keeps of the operator's token. Its key is the session's own token, which is
    /// on no disk: who reads the row cannot try tokens against it.
    fn keeps(&self, operator: &SecretString) -> ByteArray<32> {
        let key = self.reveal().as_bytes();
        let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
        mac.update(operator.expose_secret().as_bytes());
        ByteArray::from(<[u8; 32]>::from(mac.finalize().into_bytes()))
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionToken(of {}, hidden)", self.seller)
    }
}

#[cfg(test)]
mod tests {
    use storage::{Record, cbor_encode};

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
        let token = SessionToken::from_random(SellerId(12), &[7; 32]);
        let session = Session::new(&Visitor::Person(PersonId(1)), &token, now);
        assert!(session.is_open(now.plus_seconds(86_399)));
        assert!(!session.is_open(now.plus_seconds(86_400)));
    }

    #[test]
    fn an_operators_session_is_of_the_token_it_was_begun_with_alone() {
        let token = SessionToken::from_random(SellerId(0), &[7; 32]);
        let now = Timestamp::from_micros(0);
        let (first, second) = (SecretString::from("first"), SecretString::from("second"));
        let session = Session::new(&Visitor::Operator(first.clone()), &token, now);
        assert!(session.is_operators(&token, &first));
        assert!(!session.is_operators(&token, &second));
        let before = Session { begun_with: None, ..session.clone() };
        assert!(!before.is_operators(&token, &first), "one that does not say its token");
        let person = Session::new(&Visitor::Person(PersonId(1)), &token, now);
        assert!(!person.is_operators(&token, &first));
        let read = Session::decode(1, &cbor_encode(&session)).expect("a session");
        assert!(read.is_operators(&token, &first));
    }

    #[test]
    fn a_session_of_before_tokens_were_kept_is_read() {
        #[derive(minicbor::Encode)]
        struct Before {
            #[n(0)]
            person: Option<PersonId>,
            #[n(1)]
            created_at: Timestamp,
            #[n(2)]
            expires_at: Timestamp,
        }
        let now = Timestamp::from_micros(0);
        let before = Before { person: None, created_at: now, expires_at: now.plus_seconds(1) };
        let read = Session::decode(1, &cbor_encode(&before)).expect("a session");
        assert_eq!((read.person, read.begun_with), (None, None));
    }
}
