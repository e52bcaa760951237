//! Secrets at rest: what must be readable again, but not by someone who holds the disk.
//!
//! Passwords and API keys are kept as hashes; a signing secret cannot be, since every signature
//! needs it. It is sealed with the server's key (setting `secrets.key`).

use std::fmt;

use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use minicbor::{Decode, Encode};
use zeroize::Zeroizing;

pub const KEY_BYTES: usize = 32;

/// Bytes of a nonce. Long enough that random ones never meet.
pub const NONCE_BYTES: usize = 24;

#[derive(Clone)]
pub struct SecretBox {
    cipher: XChaCha20Poly1305,
}

/// A sealed secret: the nonce, then the cipher text with its tag.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct Sealed(#[cbor(n(0), with = "minicbor::bytes")] Vec<u8>);

/// A sealed secret that this box cannot open: another key sealed it, or its bytes are damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a sealed secret cannot be opened; secrets.key is not the key that sealed it")]
pub struct CannotOpen;

impl SecretBox {
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self { cipher: XChaCha20Poly1305::new(&Key::from(*key)) }
    }

    /// Seals `plain`. The nonce is drawn for this secret and never used again.
    pub fn seal(&self, plain: &[u8], nonce: [u8; NONCE_BYTES]) -> Sealed {
        let mut sealed = nonce.to_vec();
        let text = self
            .cipher
            .encrypt(&XNonce::from(nonce), plain)
            .expect("the cipher takes any text shorter than 256 GiB");
        sealed.extend_from_slice(&text);
        Sealed(sealed)
    }

    /// Opens what [`seal`](Self::seal) made. The plain bytes are wiped when they are dropped.
    pub fn open(&self, sealed: &Sealed) -> Result<Zeroizing<Vec<u8>>, CannotOpen> {
        let (nonce, text) = sealed.0.split_first_chunk::<NONCE_BYTES>().ok_or(CannotOpen)?;
        let plain = self.cipher.decrypt(&XNonce::from(*nonce), text).map_err(|_| CannotOpen)?;
        Ok(Zeroizing::new(plain))
    }

    /// Opens a secret that is text; one that is no text counts as damaged.
    pub fn open_text(&self, sealed: &Sealed) -> Result<Zeroizing<String>, CannotOpen> {
        let mut plain = self.open(sealed)?;
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

    #[test]
    fn what_is_sealed_opens_with_its_key_alone() {
        let ours = SecretBox::new(&[7; KEY_BYTES]);
        let sealed = ours.seal(b"whsec_text", [1; NONCE_BYTES]);
        assert_eq!(ours.open_text(&sealed).unwrap().as_str(), "whsec_text");
        assert_eq!(SecretBox::new(&[8; KEY_BYTES]).open(&sealed), Err(CannotOpen));
    }

    #[test]
    fn a_changed_byte_is_noticed_wherever_it_is() {
        let ours = SecretBox::new(&[7; KEY_BYTES]);
        let sealed = ours.seal(b"plain", [1; NONCE_BYTES]);
        for at in 0..sealed.0.len() {
            let mut bent = sealed.clone();
            bent.0[at] ^= 1;
            assert_eq!(ours.open(&bent), Err(CannotOpen), "byte {at}");
        }
        assert_eq!(ours.open(&Sealed(vec![0; 3])), Err(CannotOpen));
    }

    #[test]
    fn neither_debug_text_nor_row_shows_the_secret() {
        let ours = SecretBox::new(&[7; KEY_BYTES]);
        let sealed = ours.seal(b"whsec_text", [1; NONCE_BYTES]);
        assert_eq!(format!("{sealed:?} {ours:?}"), "Sealed SecretBox");
        let row = minicbor::to_vec(&sealed).unwrap();
        assert!(!row.windows(10).any(|part| part == b"whsec_text"));
        assert_eq!(minicbor::decode::<Sealed>(&row).unwrap(), sealed);
    }
}
