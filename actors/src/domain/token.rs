//! Tokens that say where what they open is found: their first 16 bits are a mark and a shard. What
//! carries no mark was given out before there were shards, and is of the first one.

use std::fmt;
use std::hash::{Hash, Hasher};

use data_encoding::BASE64URL_NOPAD;
use minicbor::decode::Error as DecodeError;
use minicbor::encode::{Error as EncodeError, Write};
use minicbor::{Decoder, Encoder};
use sha2::{Digest, Sha256};
use storage::{Key, KeyError, KeyReader, KeyWriter, Shard};

/// What stands in the 16 bits beside the shard.
const MARK: u16 = 0xB400;

/// The characters of 32 bytes.
const CHARS: usize = 43;

/// Writes the mark and the shard over the first bytes of a token.
pub fn mark(bytes: &mut [u8; 32], shard: Shard) {
    bytes[..2].copy_from_slice(&(MARK | shard.number()).to_be_bytes());
}

/// The shard that a token of 43 characters says; the first one of what carries no mark.
fn shard_of(token: &str) -> Shard {
    let head = token.as_bytes().first_chunk::<4>().filter(|_| token.len() == CHARS);
    let head = head.and_then(|head| BASE64URL_NOPAD.decode(head).ok());
    let [high, low, ..] = head.as_deref().unwrap_or_default() else { return Shard::FIRST };
    let number = u16::from_be_bytes([*high, *low]) ^ MARK;
    if number < Shard::COUNT { Shard::of(u64::from(number)) } else { Shard::FIRST }
}

/// The SHA-256 of a token, and its shard. 32 random bytes cannot be guessed, so a fast hash is
/// enough.
#[derive(Clone, Copy)]
pub struct Hashed {
    hash: [u8; 32],
    shard: Shard,
}

impl Hashed {
    pub fn of(token: &str) -> Self {
        Self::of_prefixed("", token)
    }

    /// Of a token that may begin with a prefix.
    pub fn of_prefixed(prefix: &str, token: &str) -> Self {
        let shard = shard_of(token.strip_prefix(prefix).unwrap_or(token));
        Self { hash: Sha256::digest(token.as_bytes()).into(), shard }
    }

    pub(crate) fn in_first_shard(self) -> Self {
        Self { shard: Shard::FIRST, ..self }
    }
}

impl PartialEq for Hashed {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

impl Eq for Hashed {}

impl Hash for Hashed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

impl fmt::Debug for Hashed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}

/// The shard is in front of the whole key.
impl Key for Hashed {
    const SHARDED: bool = true;

    fn shard(&self) -> Option<Shard> {
        Some(self.shard)
    }

    fn write(&self, out: &mut KeyWriter) {
        self.hash.write(out);
    }

    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        Ok(Self { hash: <[u8; 32]>::read(from)?, shard: from.shard() })
    }
}

/// The hash, and behind it the shard, if that is not the first.
impl<C> minicbor::Encode<C> for Hashed {
    fn encode<W: Write>(&self, e: &mut Encoder<W>, _: &mut C) -> Result<(), EncodeError<W::Error>> {
        match self.shard {
            Shard::FIRST => e.bytes(&self.hash)?.ok(),
            shard => {
                let bytes = [&self.hash[..], &shard.number().to_be_bytes()].concat();
                e.bytes(&bytes)?.ok()
            }
        }
    }
}

impl<'b, C> minicbor::Decode<'b, C> for Hashed {
    fn decode(d: &mut Decoder<'b>, _: &mut C) -> Result<Self, DecodeError> {
        let (hash, shard) = d.bytes()?.split_at_checked(32).unwrap_or_default();
        let shard = match shard {
            [] => Shard::FIRST,
            [high, low] => Shard::of(u64::from(u16::from_be_bytes([*high, *low]))),
            _ => return Err(DecodeError::message("a hash has 32 bytes, and 2 of its shard")),
        };
        Ok(Self { hash: hash.try_into().map_err(DecodeError::message)?, shard })
    }
}

/// The hash of one kind of tokens.
pub trait TokenKey: Key + Copy {
    /// Where the row of a token is that carries a mark by chance.
    fn in_first_shard(self) -> Self;
}

/// Declares the hash of one kind of tokens, which cannot be mistaken for another kind's.
macro_rules! token_hash {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, minicbor::Encode, minicbor::Decode)]
        #[cbor(transparent)]
        pub struct $name(#[n(0)] $crate::domain::token::Hashed);

        impl $crate::domain::token::TokenKey for $name {
            fn in_first_shard(self) -> Self {
                Self($crate::domain::token::Hashed::in_first_shard(self.0))
            }
        }

        impl storage::Key for $name {
            const SHARDED: bool = true;

            fn shard(&self) -> Option<storage::Shard> {
                self.0.shard()
            }

            fn write(&self, out: &mut storage::KeyWriter) {
                self.0.write(out);
            }

            fn read(from: &mut storage::KeyReader<'_>) -> Result<Self, storage::KeyError> {
                storage::Key::read(from).map(Self)
            }
        }
    };
}

pub(crate) use token_hash;

#[cfg(test)]
mod tests {
    use storage::{cbor_decode, cbor_encode};

    use super::*;

    #[test]
    fn a_token_says_its_shard_and_any_other_text_the_first() {
        for number in [0, 1, 511, 1_023] {
            let mut bytes = [0xA5; 32];
            mark(&mut bytes, Shard::of(number));
            let token = BASE64URL_NOPAD.encode(&bytes);
            assert_eq!(token.len(), CHARS);
            assert_eq!(Hashed::of(&token).shard(), Some(Shard::of(number)));
            let prefixed = Hashed::of_prefixed("sk_", &format!("sk_{token}"));
            assert_eq!(prefixed.shard(), Some(Shard::of(number)));
            for other in [&token[1..], &format!("7.{token}")] {
                assert_eq!(Hashed::of(other).shard(), Some(Shard::FIRST));
            }
        }
        let unmarked = BASE64URL_NOPAD.encode(&[7; 32]);
        for text in ["", "ü", "t", &unmarked, &"?".repeat(CHARS), &"ü".repeat(CHARS)] {
            assert_eq!(Hashed::of(text).shard(), Some(Shard::FIRST), "{text}");
        }
    }

    #[test]
    fn a_hash_is_kept_with_its_shard_and_was_kept_without() {
        let mut bytes = [1; 32];
        mark(&mut bytes, Shard::of(77));
        let hash = Hashed::of(&BASE64URL_NOPAD.encode(&bytes));
        let kept = cbor_encode(&hash);
        assert_eq!(kept.len(), 2 + 34);
        let read: Hashed = cbor_decode(&kept).expect("a hash");
        assert_eq!((read, read.shard()), (hash, Some(Shard::of(77))));
        let before = [&[0x58, 32], &hash.hash[..]].concat();
        let read: Hashed = cbor_decode(&before).expect("a hash of before");
        assert_eq!((read, read.shard()), (hash, Some(Shard::FIRST)));
        assert_eq!(cbor_encode(&read), before);
        for length in [31_u8, 33, 35] {
            let bytes = [&[0x58, length], &vec![0; usize::from(length)][..]].concat();
            assert!(cbor_decode::<Hashed>(&bytes).is_err(), "{length}");
        }
    }

    #[test]
    fn the_hash_is_sha_256() {
        let abc = data_encoding::HEXLOWER.encode(&Hashed::of("abc").hash);
        assert_eq!(abc, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
