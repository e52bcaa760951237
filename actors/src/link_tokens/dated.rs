//! Tokens that say themselves what they open and until when: signed, so that they need no row.

use data_encoding::BASE64URL_NOPAD;
use subtle::ConstantTimeEq;

use super::{LinkTokens, Opens, keyed};
use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;

/// Seller, object, end.
const SAID_BYTES: usize = 8 + 8 + 8;
const SIGNATURE_BYTES: usize = 16;

impl LinkTokens {
    /// A token that opens an object of a seller until then.
    pub(super) fn dated(
        &self,
        opens: Opens,
        (seller, object): (SellerId, u64),
        until: Timestamp,
    ) -> String {
        let mut bytes = Vec::with_capacity(SAID_BYTES + SIGNATURE_BYTES);
        for number in [seller.0, object] {
            bytes.extend_from_slice(&number.to_be_bytes());
        }
        bytes.extend_from_slice(&until.micros().to_be_bytes());
        let signature = self.signature(opens, &bytes);
        bytes.extend_from_slice(&signature);
        BASE64URL_NOPAD.encode(&bytes)
    }

    /// What such a token opens; `None` when it is not ours, opens something else, or is over at
    /// `now`.
    pub(super) fn dated_of(
        &self,
        opens: Opens,
        token: &str,
        now: Timestamp,
    ) -> Option<(SellerId, u64)> {
        let bytes = BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
        let bytes: &[u8; SAID_BYTES + SIGNATURE_BYTES] = bytes.as_slice().try_into().ok()?;
        let (said, signature) = bytes.split_at(SAID_BYTES);
        if !bool::from(self.signature(opens, said).ct_eq(signature)) {
            return None;
        }
        let part = |from: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&said[from..from + 8]);
            number
        };
        let until = Timestamp::from_micros(i64::from_be_bytes(part(16)));
        let named = (SellerId(u64::from_be_bytes(part(0))), u64::from_be_bytes(part(8)));
        (now < until).then_some(named)
    }

    fn signature(&self, opens: Opens, said: &[u8]) -> [u8; SIGNATURE_BYTES] {
        let mut signature = [0; SIGNATURE_BYTES];
        let whole = keyed(self.0.key.as_slice(), &[&[opens as u8], said]);
        signature.copy_from_slice(&whole[..SIGNATURE_BYTES]);
        signature
    }
}
