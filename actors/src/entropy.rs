//! The only place that draws random bytes. Rules take what is drawn here as arguments.

use data_encoding::BASE64URL_NOPAD;
use storage::Shard;
use uuid::Uuid;

use crate::domain::token::mark;

#[derive(Clone, Copy, Debug, Default)]
pub struct Entropy;

impl Entropy {
    /// `N` random bytes from the operating system.
    ///
    /// # Panics
    /// When the operating system has none to give; nothing safe could be done then.
    #[expect(clippy::disallowed_methods, reason = "the one place that draws randomness")]
    pub fn bytes<const N: usize>(self) -> [u8; N] {
        let mut bytes = [0; N];
        getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
        bytes
    }

    /// 32 random bytes as 43 characters that are safe in URLs.
    pub fn token(self) -> String {
        BASE64URL_NOPAD.encode(&self.bytes::<32>())
    }

    /// The same, with a shard that the token says.
    pub fn token_in(self, shard: Shard) -> String {
        let mut bytes = self.bytes();
        mark(&mut bytes, shard);
        BASE64URL_NOPAD.encode(&bytes)
    }

    /// A random UUID (version 4).
    pub fn uuid(self) -> Uuid {
        uuid::Builder::from_random_bytes(self.bytes()).into_uuid()
    }
}
