//! Secrets at rest: what must be readable again, but not by someone who holds the disk.
//!
//! Passwords and API keys are kept as hashes; a signing secret cannot be, since every signature
//! needs it. It is sealed with the server's key (setting `secrets.key`).

use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use minicbor::{Decode, Encode};
use storage::{Record, RecordError, cbor_decode, cbor_encode};
use zeroize::Zeroizing;

use crate::domain::ids::{
    InboundEndpointId, PayeeId, PayoutMethodId, SavedCardId, SellerId, TerminalId, WebhookId,
};

pub const KEY_BYTES: usize = 32;

/// The fingerprint of the key that a store's secrets are sealed with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFingerprint(pub String);

impl Record for KeyFingerprint {
    /// Each start reads this row: programs that know 1 refuse the store. They would write without
    /// keeping the lists and sums that are [made up for](crate::system) at a start once alone.
    const VERSION: u8 = 2;

    fn encode(&self) -> Vec<u8> {
        cbor_encode(&self.0)
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        cbor_decode(bytes).map(Self)
    }
}

/// Bytes of a nonce. Long enough that random ones never meet.
pub const NONCE_BYTES: usize = 24;

#[derive(Clone)]
pub struct SecretBox {
    cipher: XChaCha20Poly1305,
}

/// The row and field that a secret is sealed for. It opens in no other, so that whoever can write
/// the disk cannot give one row the secret of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    WebhookSecret(SellerId, WebhookId),
    InboundToken(SellerId, InboundEndpointId),
    InboundSecret(SellerId, InboundEndpointId),
    TerminalKey(SellerId, TerminalId),
    TaxNumber(SellerId, PayeeId),
    /// Payouts keep it as their method had it.
    AccountNumber(SellerId, PayoutMethodId),
    /// The payment that saves the card keeps it as the card does.
    SavedCard(SellerId, SavedCardId),
}

impl Place {
    /// What stands for it in what is sealed. It is on disk for ever.
    fn bytes(self) -> [u8; 17] {
        let (field, seller, object) = match self {
            Self::WebhookSecret(seller, id) => (1, seller, id.0),
            Self::InboundToken(seller, id) => (2, seller, id.0),
            Self::InboundSecret(seller, id) => (3, seller, id.0),
            Self::TerminalKey(seller, id) => (4, seller, id.0),
            Self::TaxNumber(seller, id) => (5, seller, id.0),
            Self::AccountNumber(seller, id) => (6, seller, id.0),
            Self::SavedCard(seller, id) => (7, seller, id.0),
        };
        let mut bytes = [field; 17];
        bytes[1..9].copy_from_slice(&seller.0.to_be_bytes());
        bytes[9..].copy_from_slice(&object.to_be_bytes());
        bytes
    }
}

/// A sealed secret: the nonce, then the cipher text with its tag.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct Sealed(#[cbor(n(0), with = "minicbor::bytes")] Vec<u8>);

/// A sealed secret that this box cannot open: another key sealed it, its bytes are damaged, or it
/// was sealed for another place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a sealed secret cannot be opened; secrets.key is not the key that sealed it, or the row is \
     damaged"
)]
pub struct CannotOpen;

impl SecretBox {
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self { cipher: XChaCha20Poly1305::new(&Key::from(*key)) }
    }

    /// Seals `plain` for one place. The nonce is drawn for this secret and never used again.
    pub fn seal(&self, place: Place, plain: &[u8], nonce: [u8; NONCE_BYTES]) -> Sealed {
        let mut sealed = nonce.to_vec();
        let text = self
            .cipher
            .encrypt(&XNonce::from(nonce), Payload { msg: plain, aad: &place.bytes() })
            .expect("the cipher takes any text shorter than 256 GiB");
        sealed.extend_from_slice(&text);
        Sealed(sealed)
    }

    /// Opens what [`seal`](Self::seal) made. The plain bytes are wiped when they are dropped.
    pub fn open(&self, place: Place, sealed: &Sealed) -> Result<Zeroizing<Vec<u8>>, CannotOpen> {
        let (nonce, text) = sealed.0.split_first_chunk::<NONCE_BYTES>().ok_or(CannotOpen)?;
        let text = Payload { msg: text, aad: &place.bytes() };
        let plain = self.cipher.decrypt(&XNonce::from(*nonce), text).map_err(|_| CannotOpen)?;
        Ok(Zeroizing::new(plain))
    }

    /// Opens a secret that is text; one that is no text counts as damaged.
    pub fn open_text(
        &self,
        place: Place,
        sealed: &Sealed,
    ) -> Result<Zeroizing<String>, CannotOpen> {
        let mut plain = self.open(place, sealed)?;
        String::from_utf8(std::mem::take(&mut *plain)).map(Zeroizing::new).map_err(|_| CannotOpen)
    }
}

impl fmt::Debug for SecretBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretBox")
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place::WebhookSecret(SellerId(1), WebhookId(2));

    #[test]
    fn what_is_sealed_for_one_place_opens_in_no_other() {
        let ours = SecretBox::new(&[7; KEY_BYTES]);
        let one = SellerId(1);
        let places = [
            PLACE,
            Place::WebhookSecret(one, WebhookId(3)),
            Place::WebhookSecret(SellerId(2), WebhookId(2)),
            Place::InboundToken(one, InboundEndpointId(2)),
            Place::InboundSecret(one, InboundEndpointId(2)),
            Place::TerminalKey(one, TerminalId(2)),
            Place::TaxNumber(one, PayeeId(2)),
            Place::AccountNumber(one, PayoutMethodId(2)),
            Place::SavedCard(one, SavedCardId(2)),
        ];
        for place in places {
            let sealed = ours.seal(place, b"plain", [1; NONCE_BYTES]);
            let opened: Vec<_> =
                places.into_iter().filter(|other| ours.open(*other, &sealed).is_ok()).collect();
            assert_eq!(opened, [place]);
        }
    }

    #[test]
    fn what_is_sealed_opens_with_its_key_alone() {
        let ours = SecretBox::new(&[7; KEY_BYTES]);
        let sealed = ours.seal(PLACE, b"whsec_text", [1; NONCE_BYTES]);
        assert_eq!(ours.open_text(PLACE, &sealed).unwrap().as_str(), "whsec_text");
        assert_eq!(SecretBox::new(&[8; KEY_BYTES]).open(PLACE, &sealed), Err(CannotOpen));
    }

    #[test]
    fn a_changed_byte_is_noticed_wherever_it_is() {
        let ours = SecretBox::new(&[7; KEY_BYTES]);
        let sealed = ours.seal(PLACE, b"plain", [1; NONCE_BYTES]);
        for at in 0..sealed.0.len() {
            let mut bent = sealed.clone();
            bent.0[at] ^= 1;
            assert_eq!(ours.open(PLACE, &bent), Err(CannotOpen), "byte {at}");
        }
        assert_eq!(ours.open(PLACE, &Sealed(vec![0; 3])), Err(CannotOpen));
    }

    #[test]
    fn neither_debug_text_nor_row_shows_the_secret() {
        let ours = SecretBox::new(&[7; KEY_BYTES]);
        let sealed = ours.seal(PLACE, b"whsec_text", [1; NONCE_BYTES]);
        assert_eq!(format!("{sealed:?} {ours:?}"), "Sealed SecretBox");
        let row = minicbor::to_vec(&sealed).unwrap();
        assert!(!row.windows(10).any(|part| part == b"whsec_text"));
        assert_eq!(minicbor::decode::<Sealed>(&row).unwrap(), sealed);
    }
}
