//! Keys whose byte order is the order of their values.
//!
//! Whole numbers are big endian, signed ones with their sign bit flipped. Text and byte strings
//! end in `00 00` and write a zero byte of their own as `00 FF`, so that "a" stands before "ab",
//! and other parts may follow. Parts carry no type: a key is read by the type that wrote it.

mod parts;

use crate::shard::Shard;

/// A value that can be a key, or a part of one.
///
/// The bytes written must order as the values do, and no value's bytes may be the beginning of
/// another's. A newtype keeps both by handing through to what it wraps:
///
/// ```
/// use storage::{Key, KeyError, KeyReader, KeyWriter};
///
/// struct Shelf(u64);
///
/// impl Key for Shelf {
///     fn write(&self, out: &mut KeyWriter) {
///         self.0.write(out);
///     }
///     fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
///         u64::read(from).map(Shelf)
///     }
/// }
/// ```
pub trait Key: Sized {
    /// Whether keys of this type say in which shard they are. Those of others are in
    /// [`Shard::FIRST`].
    const SHARDED: bool = false;

    /// The shard that the key is in; of a key of several parts, that of the first that has one.
    fn shard(&self) -> Option<Shard> {
        None
    }

    fn write(&self, out: &mut KeyWriter);

    /// Takes a value from the front.
    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError>;
}

/// Bytes that are not a key of the type they were read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("the key ends too early")]
    Short,
    #[error("the key goes on after its last part")]
    Long,
    #[error("a part of the key is not {0}")]
    Invalid(&'static str),
}

#[derive(Debug, Default)]
pub struct KeyWriter {
    bytes: Vec<u8>,
}

impl KeyWriter {
    pub(crate) fn with_prefix<const N: usize>(prefix: [u8; N]) -> Self {
        let mut bytes = Vec::with_capacity(32);
        bytes.extend_from_slice(&prefix);
        Self { bytes }
    }

    /// Appends bytes as they are: for parts of one fixed length.
    pub fn fixed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends bytes of any length, escaped and terminated, so that other parts may follow.
    pub fn escaped(&mut self, bytes: &[u8]) {
        self.bytes.reserve(bytes.len() + 2);
        for &byte in bytes {
            self.bytes.push(byte);
            if byte == 0 {
                self.bytes.push(0xFF);
            }
        }
        self.bytes.extend_from_slice(&[0, 0]);
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[derive(Debug)]
pub struct KeyReader<'a> {
    shard: Shard,
    rest: &'a [u8],
}

impl<'a> KeyReader<'a> {
    /// Reads a key of [`Shard::FIRST`].
    pub fn whole<K: Key>(bytes: &'a [u8]) -> Result<K, KeyError> {
        Self::whole_in(Shard::FIRST, bytes)
    }

    /// Reads a key of this shard.
    pub fn whole_in<K: Key>(shard: Shard, bytes: &'a [u8]) -> Result<K, KeyError> {
        let mut reader = Self { shard, rest: bytes };
        let key = K::read(&mut reader)?;
        if reader.rest.is_empty() { Ok(key) } else { Err(KeyError::Long) }
    }

    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { shard: Shard::FIRST, rest: bytes }
    }

    /// The shard of the key that is read, which does not stand in its parts.
    pub fn shard(&self) -> Shard {
        self.shard
    }

    pub fn fixed<const N: usize>(&mut self) -> Result<[u8; N], KeyError> {
        let (part, rest) = self.rest.split_first_chunk::<N>().ok_or(KeyError::Short)?;
        self.rest = rest;
        Ok(*part)
    }

    pub fn escaped(&mut self) -> Result<Vec<u8>, KeyError> {
        let mut part = Vec::new();
        loop {
            let zero = self.rest.iter().position(|&byte| byte == 0).ok_or(KeyError::Short)?;
            part.extend_from_slice(&self.rest[..zero]);
            let after = *self.rest.get(zero + 1).ok_or(KeyError::Short)?;
            self.rest = &self.rest[zero + 2..];
            match after {
                0 => return Ok(part),
                0xFF => part.push(0),
                _ => return Err(KeyError::Invalid("an escaped byte string")),
            }
        }
    }
}
