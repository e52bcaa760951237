//! The token of a vendor's verification link.

use actors::domain::ids::{SellerId, VendorId};
use actors::domain::time::Timestamp;
use data_encoding::BASE64URL_NOPAD;
use subtle::ConstantTimeEq;

use super::{SIGNATURE_BYTES, TokenKey};

const MEANING: &str = "a vendor's verification link";
/// Seller, vendor, expiry.
const SAID_BYTES: usize = 8 + 8 + 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkToken {
    pub seller: SellerId,
    pub vendor: VendorId,
}

impl LinkToken {
    pub fn sign(self, key: &TokenKey, expires_at: Timestamp) -> String {
        let mut bytes = Vec::with_capacity(SAID_BYTES + SIGNATURE_BYTES);
        for number in [self.seller.0, self.vendor.0] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&expires_at.micros().to_be_bytes());
        let mark = key.mark(MEANING, &bytes);
        bytes.extend_from_slice(&mark);
        BASE64URL_NOPAD.encode(&bytes)
    }

    /// What `text` says; `None` when it is not ours, or is over at `now`.
    pub fn open(key: &TokenKey, text: &str, now: Timestamp) -> Option<Self> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok()?;
        let bytes: &[u8; SAID_BYTES + SIGNATURE_BYTES] = bytes.as_slice().try_into().ok()?;
        let (said, mark) = bytes.split_at(SAID_BYTES);
        if !bool::from(key.mark(MEANING, said).ct_eq(mark)) {
            return None;
        }
        let part = |from: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&said[from..from + 8]);
            number
        };
        let expires_at = Timestamp::from_micros(i64::from_be_bytes(part(16)));
        (now < expires_at).then(|| Self {
            seller: SellerId(u64::from_be_bytes(part(0))),
            vendor: VendorId(u64::from_be_bytes(part(8))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_its_vendor_until_it_is_over() {
        let key = TokenKey::derive(b"secret");
        let at = |second: i64| Timestamp::from_micros(second * 1_000_000);
        let link = LinkToken { seller: SellerId(3), vendor: VendorId(77) };
        let text = link.sign(&key, at(100));
        assert_eq!(LinkToken::open(&key, &text, at(99)), Some(link));
        assert_eq!(LinkToken::open(&key, &text, at(100)), None);
        assert_eq!(LinkToken::open(&TokenKey::derive(b"other"), &text, at(99)), None);
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).expect("bytes");
        for place in 0..bytes.len() {
            let mut bent = bytes.clone();
            bent[place] ^= 1;
            let bent = BASE64URL_NOPAD.encode(&bent);
            assert_eq!(LinkToken::open(&key, &bent, at(99)), None, "byte {place}");
        }
        assert_eq!(LinkToken::open(&key, "x", at(99)), None);
    }
}
