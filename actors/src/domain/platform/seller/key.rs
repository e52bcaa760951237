//! API keys. A key is shown once and kept only as its hash.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use storage::{CborRecord, Key, KeyError, KeyReader, KeyWriter};

use super::Mode;
use crate::domain::ids::SellerId;
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
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(hidden)")
    }
}

/// The SHA-256 of a key. 32 random bytes cannot be guessed, so a fast hash is enough.
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

/// Whose key it is; stored under its [`KeyHash`].
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct ApiKeyRecord {
    #[n(0)]
    pub seller: SellerId,
    #[n(1)]
    pub created_at: Timestamp,
    /// From when on it is refused; keys of minted accounts only.
    #[n(2)]
    pub expires_at: Option<Timestamp>,
    /// The form it has, and the one mode in which it authenticates.
    #[n(3)]
    pub mode: Mode,
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
