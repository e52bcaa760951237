//! What a receiver of webhooks does with the signature, and what a sender does.

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// How far a timestamp may lie from the receiver's clock, in seconds.
const TOLERANCE_SECONDS: u64 = 300;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Forged {
    #[error("no timestamp")]
    NoTimestamp,
    #[error("stale timestamp")]
    Stale,
    #[error("wrong signature")]
    WrongSignature,
}

/// Checks `X-Service-Timestamp` and `X-Service-Signature` over the raw body, in constant time.
/// `now` is the receiver's clock in unix seconds; the key is the whole `secret` as bytes.
pub(crate) fn verify(
    secret: &str,
    timestamp: &str,
    signature: &str,
    body: &[u8],
    now: i64,
) -> Result<(), Forged> {
    let sent: i64 = timestamp.parse().map_err(|_| Forged::NoTimestamp)?;
    if sent.abs_diff(now) > TOLERANCE_SECONDS {
        return Err(Forged::Stale);
    }
    let hex = signature.strip_prefix("sha256=").ok_or(Forged::WrongSignature)?;
    let claimed = HEXLOWER.decode(hex.as_bytes()).map_err(|_| Forged::WrongSignature)?;
    let mac = keyed(secret, timestamp, body);
    mac.verify_slice(&claimed).map_err(|_| Forged::WrongSignature)
}

/// The value of `X-Service-Signature` for a body sent at `timestamp`, in unix seconds.
pub(crate) fn sign(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let mac = keyed(secret, timestamp, body).finalize();
    format!("sha256={}", HEXLOWER.encode(&mac.into_bytes()))
}

fn keyed(secret: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
        .expect("an HMAC takes a key of any length");
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_0123456789012345678901234567890123456789012";
    const BODY: &[u8] = br#"{"eventId":7,"eventType":"InvoicePaid"}"#;
    // printf '1763700000.{"eventId":7,"eventType":"InvoicePaid"}' | openssl dgst -sha256 -hmac "$SECRET"
    const SIGNATURE: &str =
        "sha256=bf7801c9d82853b365e07b308986f27a141292e0bf637322d8398d8f01676ca5";

    #[test]
    fn the_vector_verifies_within_five_minutes() {
        assert_eq!(sign(SECRET, "1763700000", BODY), SIGNATURE);
        for now in [1_763_700_000, 1_763_700_300, 1_763_699_700] {
            assert_eq!(verify(SECRET, "1763700000", SIGNATURE, BODY, now), Ok(()));
        }
        for now in [1_763_700_301, 1_763_699_699] {
            assert_eq!(verify(SECRET, "1763700000", SIGNATURE, BODY, now), Err(Forged::Stale));
        }
    }

    #[test]
    fn every_change_is_noticed() {
        let now = 1_763_700_000;
        let wrong = Err(Forged::WrongSignature);
        assert_eq!(verify(SECRET, "1763700001", SIGNATURE, BODY, now), wrong);
        assert_eq!(verify(&SECRET[1..], "1763700000", SIGNATURE, BODY, now), wrong);
        assert_eq!(verify(SECRET, "1763700000", SIGNATURE, &BODY[1..], now), wrong);
        assert_eq!(verify(SECRET, "1763700000", &SIGNATURE.to_uppercase(), BODY, now), wrong);
        assert_eq!(verify(SECRET, "1763700000", &SIGNATURE[7..], BODY, now), wrong);
        assert_eq!(verify(SECRET, "", SIGNATURE, BODY, now), Err(Forged::NoTimestamp));
    }
}
