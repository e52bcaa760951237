//! Signed tokens in the addresses of pages: they name a payment and an expiry, carry no
//! personal data and need no row.

use actors::domain::ids::{PaymentId, SellerId};
use actors::domain::time::Timestamp;
use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use zeroize::Zeroizing;

pub const TOKEN_SECONDS: i64 = 24 * 3600;

pub const SIGNATURE_BYTES: usize = 16;
/// Bytes of a token: purpose, seller, payment, expiry, signature.
const TOKEN_BYTES: usize = 1 + 8 + 8 + 8 + SIGNATURE_BYTES;

/// What a token opens. One kind never opens what another does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The simulated bank (`/scheme/{token}`).
    Scheme = 1,
    /// The step back from the bank (`/return/{token}`).
    Return = 2,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaymentToken {
    pub seller: SellerId,
    pub payment: PaymentId,
    /// Until when it is good, to the second.
    pub expires_at: Timestamp,
}

/// The key that tokens are signed with; derived from the server's secret.
pub struct TokenKey(Zeroizing<Vec<u8>>);

impl TokenKey {
    pub fn derive(secret: &[u8]) -> Self {
        Self(Zeroizing::new(keyed(secret, b"tokens of hosted pages")))
    }

    /// A mark that only this server can put on `said`, for what is no token of a page. Marks of
    /// different `meaning` never stand for each other.
    pub fn mark(&self, meaning: &str, said: &[u8]) -> [u8; SIGNATURE_BYTES] {
        let own = Zeroizing::new(keyed(&self.0, meaning.as_bytes()));
        let mut mark = [0; SIGNATURE_BYTES];
        mark.copy_from_slice(&keyed(&own, said)[..SIGNATURE_BYTES]);
        mark
    }

    /// The token that opens `purpose` for a payment, from `now` on for [`TOKEN_SECONDS`].
    pub fn sign(
        &self,
        purpose: Purpose,
        seller: SellerId,
        payment: PaymentId,
        now: Timestamp,
    ) -> String {
        let mut bytes = Vec::with_capacity(TOKEN_BYTES);
        bytes.push(purpose as u8);
        bytes.extend_from_slice(&seller.0.to_be_bytes());
        bytes.extend_from_slice(&payment.0.to_be_bytes());
        bytes.extend_from_slice(&(now.unix_seconds() + TOKEN_SECONDS).to_be_bytes());
        let signature = keyed(&self.0, &bytes);
        bytes.extend_from_slice(&signature[..SIGNATURE_BYTES]);
        BASE64URL_NOPAD.encode(&bytes)
    }

    /// What `token` says; `None` when it is not ours, is for something else, or is over.
    pub fn open(&self, purpose: Purpose, token: &str, now: Timestamp) -> Option<PaymentToken> {
        let bytes = BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
        let bytes: &[u8; TOKEN_BYTES] = bytes.as_slice().try_into().ok()?;
        let (said, signature) = bytes.split_at(TOKEN_BYTES - SIGNATURE_BYTES);
        let right = &keyed(&self.0, said)[..SIGNATURE_BYTES];
        if !bool::from(right.ct_eq(signature)) || said[0] != purpose as u8 {
            return None;
        }
        let part = |from: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&said[from..from + 8]);
            u64::from_be_bytes(number)
        };
        let expires = i64::try_from(part(17)).ok()?;
        (now.unix_seconds() < expires).then(|| PaymentToken {
            seller: SellerId(part(1)),
            payment: PaymentId(part(9)),
            expires_at: Timestamp::from_micros(expires.saturating_mul(1_000_000)),
        })
    }
}

impl std::fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenKey")
    }
}

fn keyed(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length is taken");
    mac.update(text);
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_micros(second * 1_000_000)
    }

    #[test]
    fn a_token_opens_what_it_was_made_for_until_it_is_over() {
        let key = TokenKey::derive(b"secret");
        let token = key.sign(Purpose::Scheme, SellerId(3), PaymentId(77), at(1_000));
        let opened = key.open(Purpose::Scheme, &token, at(1_000 + TOKEN_SECONDS - 1));
        let said = opened.expect("good");
        assert_eq!((said.seller, said.payment), (SellerId(3), PaymentId(77)));
        assert_eq!(said.expires_at, at(1_000 + TOKEN_SECONDS));
        assert_eq!(key.open(Purpose::Scheme, &token, at(1_000 + TOKEN_SECONDS)), None);
        assert_eq!(key.open(Purpose::Return, &token, at(1_000)), None);
        let other = TokenKey::derive(b"other");
        assert_eq!(other.open(Purpose::Scheme, &token, at(1_000)), None);
    }

    #[test]
    fn a_mark_is_of_its_key_its_meaning_and_what_it_is_put_on() {
        let key = TokenKey::derive(b"secret");
        let mark = key.mark("device", b"said");
        assert_eq!(key.mark("device", b"said"), mark);
        assert_ne!(key.mark("vendor", b"said"), mark);
        assert_ne!(key.mark("device", b"sait"), mark);
        assert_ne!(TokenKey::derive(b"other").mark("device", b"said"), mark);
    }

    #[test]
    fn no_changed_token_opens_anything() {
        let key = TokenKey::derive(b"secret");
        let token = key.sign(Purpose::Return, SellerId(3), PaymentId(77), at(0));
        let bytes = BASE64URL_NOPAD.decode(token.as_bytes()).expect("bytes");
        for place in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[place] ^= 1;
            let bent = BASE64URL_NOPAD.encode(&bent);
            assert_eq!(key.open(Purpose::Return, &bent, at(0)), None, "byte {place}");
        }
        for text in ["", "x", "../../etc", &token[1..], &format!("{token}A")] {
            assert_eq!(key.open(Purpose::Return, text, at(0)), None, "{text}");
        }
    }
}
