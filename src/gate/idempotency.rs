//! The syntax of `Idempotency-Key`; what a key stands for is decided by the rooms.

use hyper::HeaderMap;
use hyper::header::{HeaderName, HeaderValue};
use uuid::Uuid;

use super::policy::Idempotency;
use crate::http::ApiError;

pub(super) const NAME: HeaderName = HeaderName::from_static("idempotency-key");

/// Beginnings that the product keeps for keys of its own.
const RESERVED: [&str; 7] = [
    "proration:",
    "proration-grant:",
    "redeem:",
    "subscription:",
    "credit_note:",
    "refund:",
    "usage-adjustment:",
];

pub(super) const MAX_CHARS: usize = 128;
/// What a key of billing is, as the API document says it.
pub(super) const PATTERN: &str = "^(?!(proration|proration-grant|redeem|subscription|credit_note|refund|\
     usage-adjustment):)[A-Za-z0-9_.:-]{1,128}$";
const UUID_CHARS: usize = 36;

/// The key that `headers` carry, by the rule of the route.
pub(super) fn read(rule: Idempotency, headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    match rule {
        Idempotency::None => Ok(None),
        Idempotency::Optional if !headers.contains_key(NAME) => Ok(None),
        Idempotency::Optional | Idempotency::Billing => billing(the_only(headers)?).map(Some),
        Idempotency::Payments | Idempotency::PaymentsFirst => {
            payments(the_only(headers)?).map(Some)
        }
    }
}

fn the_only(headers: &HeaderMap) -> Result<&HeaderValue, ApiError> {
    let mut values = headers.get_all(NAME).iter();
    let missing = || ApiError::invalid("Idempotency-Key header is required");
    let value = values.next().filter(|value| !value.is_empty()).ok_or_else(missing)?;
    match values.next() {
        Some(_) => Err(ApiError::invalid("Idempotency-Key must be given once")),
        None => Ok(value),
    }
}

fn billing(value: &HeaderValue) -> Result<String, ApiError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    let key = value
        .to_str()
        .ok()
        .filter(|key| key.len() <= MAX_CHARS && key.bytes().all(allowed))
        .ok_or_else(|| {
            ApiError::invalid("Idempotency-Key must be 1 to 128 characters of A-Z a-z 0-9 _ . : -")
        })?;
    match RESERVED.into_iter().find(|prefix| key.starts_with(prefix)) {
        Some(prefix) => {
            Err(ApiError::invalid(format!("Idempotency-Key must not begin with {prefix}")))
        }
        None => Ok(key.to_owned()),
    }
}

/// A UUID in its usual form of 36 characters. Its letters are compared without case.
fn payments(value: &HeaderValue) -> Result<String, ApiError> {
    value
        .to_str()
        .ok()
        .filter(|key| key.len() == UUID_CHARS)
        .and_then(|key| Uuid::parse_str(key).ok())
        .map(|key| key.hyphenated().to_string())
        .ok_or_else(|| ApiError::invalid("Idempotency-Key must be a valid UUID"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rule: Idempotency, keys: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for key in keys {
            headers.append(NAME, HeaderValue::from_bytes(key.as_bytes()).expect("a header"));
        }
        match read(rule, &headers) {
            Ok(key) => key.unwrap_or_default(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_key_of_billing_has_its_form_and_none_of_the_servers_own_beginnings() {
        let form = "400 Idempotency-Key must be 1 to 128 characters of A-Z a-z 0-9 _ . : -";
        let (full, long) = ("k".repeat(128), "k".repeat(129));
        let cases: [(&[&str], &str); 11] = [
            (&[], "400 Idempotency-Key header is required"),
            (&[""], "400 Idempotency-Key header is required"),
            (&["a", "a"], "400 Idempotency-Key must be given once"),
            (&["Az09_.:-"], "Az09_.:-"),
            (&[&full], &full),
            (&[&long], form),
            (&["a b"], form),
            (&["schlüssel"], form),
            (&["subscription:1"], "400 Idempotency-Key must not begin with subscription:"),
            (&["proration-grant:1"], "400 Idempotency-Key must not begin with proration-grant:"),
            (&["subscription"], "subscription"),
        ];
        for (keys, expected) in cases {
            assert_eq!(text(Idempotency::Billing, keys), expected);
        }
    }

    #[test]
    fn a_key_that_is_not_demanded_has_its_form_all_the_same() {
        assert_eq!(text(Idempotency::Optional, &[]), "");
        assert_eq!(text(Idempotency::Optional, &["Az09_.:-"]), "Az09_.:-");
        let form = "400 Idempotency-Key must be 1 to 128 characters of A-Z a-z 0-9 _ . : -";
        assert_eq!(text(Idempotency::Optional, &["a b"]), form);
    }

    #[test]
    fn a_key_of_payments_is_a_uuid_in_its_usual_form() {
        let form = "400 Idempotency-Key must be a valid UUID";
        let key = "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d";
        let cases: [(&[&str], &str); 6] = [
            (&[], "400 Idempotency-Key header is required"),
            (&["order-1"], form),
            (&["9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d"], form),
            (&["{9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d}"], form),
            (&[key], key),
            (&["9B1DEB4D-3B7D-4BAD-9BDD-2B0D7B3DCB6D"], key),
        ];
        for (keys, expected) in cases {
            assert_eq!(text(Idempotency::Payments, keys), expected);
        }
    }
}
