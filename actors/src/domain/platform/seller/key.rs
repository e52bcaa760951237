//! API keys. A key is shown once and kept only as its hash, with what it may be used for.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use minicbor::decode::Error as DecodeError;
use minicbor::encode::{Error as EncodeError, Write};
use minicbor::{Decoder, Encoder};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use storage::{CborRecord, Key, KeyError, KeyReader, KeyWriter};

use super::{Mode, Scopes};
use crate::domain::ids::{ApiKeyId, SellerId};
use crate::domain::time::Timestamp;

/// A key as its holder sends it: `sk_test_` or `sk_live_` and 43 characters. It hides itself
/// from debugging and is wiped from memory when dropped.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// The key that 32 random bytes make, in the form of `mode`.
    pub fn from_random(mode: Mode, bytes: &[u8; 32]) -> Self {
        Self(SecretString::from(format!("{}{}", prefix(mode), BASE64URL_NOPAD.encode(bytes))))
    }

    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }

    pub fn hash(&self) -> KeyHash {
        KeyHash::of(self.reveal())
    }

    /// Its last four characters, by which its holder knows it again.
    pub fn last4(&self) -> String {
        let text = self.reveal();
        text[text.len() - 4..].to_owned()
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

/// The SHA-256 of a key or token. 32 random bytes cannot be guessed, so a fast hash is enough.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    pub fn of(presented: &str) -> Self {
        Self(Sha256::digest(presented.as_bytes()).into())
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(hidden)")
    }
}

impl Key for KeyHash {
    fn write(&self, out: &mut KeyWriter) {
        self.0.write(out);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        <[u8; 32]>::read(from).map(Self)
    }
}

impl<C> minicbor::Encode<C> for KeyHash {
    fn encode<W: Write>(&self, e: &mut Encoder<W>, _: &mut C) -> Result<(), EncodeError<W::Error>> {
        e.bytes(&self.0)?.ok()
    }
}

impl<'b, C> minicbor::Decode<'b, C> for KeyHash {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, DecodeError> {
        d.bytes()?.try_into().map(Self).map_err(DecodeError::message)
    }
}

/// Whose key it is and what it opens; stored under its [`KeyHash`].
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ApiKeyRecord {
    #[n(0)]
    pub seller: SellerId,
    #[n(1)]
    pub id: ApiKeyId,
    /// From when on it is refused.
    #[n(2)]
    pub expires_at: Option<Timestamp>,
    /// The form it has, and the one mode in which it authenticates.
    #[n(3)]
    pub mode: Mode,
    #[n(4)]
    pub scopes: Scopes,
}

impl CborRecord for ApiKeyRecord {}

fn prefix(mode: Mode) -> &'static str {
    match mode {
        Mode::Demo => "sk_test_",
        Mode::Live => "sk_live_",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_the_form_of_its_mode_and_hides_itself() {
        for (mode, start) in [(Mode::Demo, "sk_test_"), (Mode::Live, "sk_live_")] {
            let key = ApiKey::from_random(mode, &[7; 32]);
            assert!(key.reveal().starts_with(start));
            assert_eq!(key.reveal().len(), 8 + 43);
            assert_eq!(key.hash(), KeyHash::of(key.reveal()));
            assert_eq!(format!("{key:?} {:?}", key.hash()), "ApiKey(hidden) KeyHash(hidden)");
        }
        let hashes = [Mode::Demo, Mode::Live].map(|m| ApiKey::from_random(m, &[7; 32]).hash());
        assert_ne!(hashes[0], hashes[1]);
    }

    #[test]
    fn the_hash_is_sha_256() {
        let abc = data_encoding::HEXLOWER.encode(&KeyHash::of("abc").0);
        assert_eq!(abc, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
