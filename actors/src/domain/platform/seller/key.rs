//! API keys. A key is shown once and kept only as its hash, with what it may be used for.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use secrecy::{ExposeSecret, SecretString};
use storage::CborRecord;

use super::{Mode, Scopes};
use crate::domain::ids::{ApiKeyId, SellerId};
use crate::domain::time::Timestamp;
use crate::domain::token::{Hashed, mark, token_hash};

/// A key as its holder sends it: `sk_test_` or `sk_live_` and 43 characters. It hides itself
/// from debugging and is wiped from memory when dropped.
#[derive(Clone)]
pub struct ApiKey(SecretString);

impl ApiKey {
    /// The key that 32 random bytes make for a seller, in the form of `mode`.
    pub fn from_random(mode: Mode, seller: SellerId, bytes: &[u8; 32]) -> Self {
        let mut marked = *bytes;
        mark(&mut marked, seller.shard());
        Self(SecretString::from(format!("{}{}", prefix(mode), BASE64URL_NOPAD.encode(&marked))))
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

token_hash!(
    /// What is kept of a key or a session's token.
    KeyHash
);

impl KeyHash {
    pub fn of(presented: &str) -> Self {
        let prefix = [Mode::Demo, Mode::Live].map(prefix);
        let prefix = prefix.into_iter().find(|prefix| presented.starts_with(prefix));
        Self(Hashed::of_prefixed(prefix.unwrap_or_default(), presented))
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
    use storage::Key;

    use super::*;

    const SELLER: SellerId = SellerId(1_030);

    #[test]
    fn a_key_has_the_form_of_its_mode_and_hides_itself() {
        for (mode, start) in [(Mode::Demo, "sk_test_"), (Mode::Live, "sk_live_")] {
            let key = ApiKey::from_random(mode, SELLER, &[7; 32]);
            assert!(key.reveal().starts_with(start));
            assert_eq!(key.reveal().len(), 8 + 43);
            assert_eq!(key.hash(), KeyHash::of(key.reveal()));
            assert_eq!(key.hash().shard(), Some(SELLER.shard()));
            assert_eq!(format!("{key:?} {:?}", key.hash()), "ApiKey(hidden) KeyHash(hidden)");
        }
        let hashes =
            [Mode::Demo, Mode::Live].map(|m| ApiKey::from_random(m, SELLER, &[7; 32]).hash());
        assert_ne!(hashes[0], hashes[1]);
    }
}
