//! Rows: what a table keeps under a key, in an envelope that outlives the program.
//!
//! A stored row is `version: u8`, `crc32: u32, little endian`, `payload`. The checksum is of the
//! row's whole key, its version and its payload, so that a row under another's key is known too.

use minicbor::{Decode, Encode};

use crate::error::ReadError;
use crate::layout;

const HEADER_BYTES: usize = 5;

/// A value that can be a row. One with numbered fields is a [`CborRecord`]; one that is packed by
/// hand says here how.
pub trait Record: Sized {
    /// The version that [`encode`](Record::encode) writes. A row of a higher version is refused
    /// as [`ReadError::Version`] before it is decoded.
    const VERSION: u8 = 1;

    /// The payload of a row, at most [`MAX_VALUE_BYTES`](crate::MAX_VALUE_BYTES) less five bytes.
    fn encode(&self) -> Vec<u8>;

    /// Reads a payload that this or an earlier version wrote.
    ///
    /// # Errors
    /// [`RecordError::Version`] for a version that is no longer read, [`RecordError::Payload`]
    /// for bytes that are not such a record.
    fn decode(version: u8, bytes: &[u8]) -> Result<Self, RecordError>;
}

/// A record whose payload is CBOR with numbered fields. A field that is added as an `Option`
/// under a new number needs no new version.
///
/// ```
/// #[derive(minicbor::Encode, minicbor::Decode)]
/// struct Note {
///     #[n(0)]
///     text: String,
///     #[n(1)]
///     stars: Option<u32>,
/// }
///
/// impl storage::CborRecord for Note {}
/// ```
pub trait CborRecord: Encode<()> + for<'b> Decode<'b, ()> {}

impl<T: CborRecord> Record for T {
    fn encode(&self) -> Vec<u8> {
        cbor_encode(self)
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        cbor_decode(bytes)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    #[error("version {0} of the record is not known")]
    Version(u8),
    #[error("the record cannot be read: {0}")]
    Payload(String),
}

/// The payload of a value that derives [`minicbor::Encode`].
///
/// # Panics
/// When a hand-written `Encode` refuses its value. A derived one never does.
pub fn cbor_encode<T: Encode<()>>(value: &T) -> Vec<u8> {
    match minicbor::to_vec(value) {
        Ok(bytes) => bytes,
        Err(refused) => panic!("a record refused to be encoded: {refused}"),
    }
}

pub fn cbor_decode<T: for<'b> Decode<'b, ()>>(bytes: &[u8]) -> Result<T, RecordError> {
    minicbor::decode(bytes).map_err(|refused| RecordError::Payload(refused.to_string()))
}

/// The row of a value; `key` is the whole one, with shard and tag.
pub(crate) fn seal<V: Record>(key: &[u8], value: &V) -> Vec<u8> {
    let payload = value.encode();
    let mut row = Vec::with_capacity(HEADER_BYTES + payload.len());
    row.push(V::VERSION);
    row.extend_from_slice(&checksum(key, V::VERSION, &payload).to_le_bytes());
    row.extend_from_slice(&payload);
    row
}

/// The value of a row; `key` is the whole one.
pub(crate) fn unseal<V: Record>(
    table: &'static str,
    key: &[u8],
    row: &[u8],
) -> Result<V, ReadError> {
    let opened = open(key, row);
    let key = layout::behind_tag(key);
    let (version, payload) = opened.ok_or_else(|| ReadError::Damaged { table, key: hex(key) })?;
    let unknown = |version| ReadError::Version { table, found: version, known: V::VERSION };
    if version > V::VERSION {
        return Err(unknown(version));
    }
    V::decode(version, payload).map_err(|refused| match refused {
        RecordError::Version(version) => unknown(version),
        RecordError::Payload(detail) => ReadError::Record { table, key: hex(key), detail },
    })
}

/// The same row under another key; `None` when it is damaged.
pub(crate) fn reseal(key: &[u8], row: &[u8], new_key: &[u8]) -> Option<Vec<u8>> {
    let (version, payload) = open(key, row)?;
    let sum = checksum(new_key, version, payload).to_le_bytes();
    Some([&[version][..], &sum, payload].concat())
}

/// The version and the payload of a row; `None` when it is damaged, or not the row of this key.
pub(crate) fn open<'r>(key: &[u8], row: &'r [u8]) -> Option<(u8, &'r [u8])> {
    let (&[version, c0, c1, c2, c3], payload) = row.split_first_chunk::<HEADER_BYTES>()?;
    let whole = checksum(key, version, payload) == u32::from_le_bytes([c0, c1, c2, c3]);
    whole.then_some((version, payload))
}

fn checksum(key: &[u8], version: u8, payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(key);
    crc.update(&[version]);
    crc.update(payload);
    crc.finalize()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;

    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing into a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl CborRecord for u64 {}

impl CborRecord for String {}

impl Record for () {
    fn encode(&self) -> Vec<u8> {
        Vec::new()
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        if bytes.is_empty() {
            Ok(())
        } else {
            Err(RecordError::Payload("an empty row is expected".to_owned()))
        }
    }
}

impl Record for Vec<u8> {
    fn encode(&self) -> Vec<u8> {
        self.clone()
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        Ok(bytes.to_vec())
    }
}
