//! Rows in a chain: each carries a hash of itself and of all before it, so that a row that another
//! hand has changed, taken out or put in is told by its place.

use minicbor::Encode;
use sha2::{Digest, Sha256};
use storage::cbor_encode;

pub use storage::Link;

/// What stands for the part of a row that never changes: SHA-256 (FIPS 180-4) of its encoding.
pub fn digest(fixed: &impl Encode<()>) -> Link {
    Sha256::digest(cbor_encode(fixed)).into()
}

/// What stands for a row of this digest and for all before it. There is no link before the first.
pub fn link(before: Option<&Link>, digest: &Link) -> Link {
    let mut hash = Sha256::new();
    hash.update(before.unwrap_or(&[0; 32]));
    hash.update(digest);
    hash.finalize().into()
}
