//! The signature of deliveries, and of what third parties send in.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::domain::time::Timestamp;

pub const SIGNATURE_HEADER: &str = "x-service-signature";

/// The header with the signed time, in Unix seconds.
pub const TIMESTAMP_HEADER: &str = "x-service-timestamp";

/// How far a signed time may lie from the reader's clock, in seconds, either way.
pub const TOLERANCE_SECONDS: i64 = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureRefusal {
    #[error("the timestamp is not within {TOLERANCE_SECONDS} seconds of now")]
    Stale,
    #[error("the signature does not match")]
    Mismatch,
}

/// The value of [`SIGNATURE_HEADER`] for a body sent at `unix_seconds`: `sha256=` and the
/// HMAC-SHA256 of the time, a dot and the body, in lower-case hexadecimal digits.
pub fn sign(secret: &[u8], unix_seconds: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(unix_seconds.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    let mut value = String::with_capacity(71);
    value.push_str("sha256=");
    HEXLOWER.encode_append(&mac.finalize().into_bytes(), &mut value);
    value
}

/// Holds the two headers of a message against its body, in constant time.
pub fn verify(
    secret: &[u8],
    timestamp: &str,
    signature: &str,
    body: &[u8],
    now: Timestamp,
) -> Result<(), SignatureRefusal> {
    let sent: i64 = timestamp.parse().map_err(|_| SignatureRefusal::Stale)?;
    if sent.saturating_sub(now.unix_seconds()).unsigned_abs() > TOLERANCE_SECONDS.unsigned_abs() {
        return Err(SignatureRefusal::Stale);
    }
    let expected = sign(secret, sent, body);
    if bool::from(expected.as_bytes().ct_eq(signature.as_bytes())) {
        Ok(())
    } else {
        Err(SignatureRefusal::Mismatch)
    }
}
