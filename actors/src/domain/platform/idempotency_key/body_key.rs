//! The key of what is kept of bodies.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use minicbor::bytes::ByteArray;
use sha2::Sha256;
use zeroize::Zeroizing;

use super::{Kept, shortened};

const MEANING: &[u8] = b"bodies under idempotency keys";

/// Made of the server's secret, once.
#[derive(Clone)]
pub struct BodyKey(Keeper);

/// Makes what is kept of the body under one idempotency key: the same number is kept otherwise
/// under another one.
#[derive(Clone)]
pub(super) struct Keeper {
    mac: Hmac<Sha256>,
    key: ByteArray<8>,
}

impl BodyKey {
    pub fn derive(secret: &[u8]) -> Self {
        let own = keyed(secret).chain_update(MEANING).finalize().into_bytes();
        let mac = keyed(&*Zeroizing::new(<[u8; 32]>::from(own)));
        let mut key = [0; 8];
        // Shorter than what is marked of any body.
        key.copy_from_slice(&mac.clone().chain_update(b"which").finalize().into_bytes()[..8]);
        Self(Keeper { mac, key: ByteArray::from(key) })
    }

    pub(super) fn under(&self, key: &str) -> Keeper {
        let Keeper { mac, key: own } = self.0.clone();
        Keeper { mac: mac.chain_update(key), key: own }
    }
}

impl Keeper {
    pub(super) fn key(&self) -> ByteArray<8> {
        self.key
    }

    /// What is kept of a value, of which this is the SHA-256.
    pub(super) fn kept(&self, digest: &[u8]) -> Kept {
        shortened(&self.mac.clone().chain_update(digest).finalize().into_bytes())
    }
}

impl fmt::Debug for BodyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BodyKey")
    }
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("a key of any length is taken")
}
