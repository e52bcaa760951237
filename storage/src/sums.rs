//! Sums that many writers add to, and that the committer makes.

use crate::record::{Record, RecordError};

/// What batches have [added](crate::Batch::add) to a key, exactly: 2^64 of the largest additions
/// fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum(i128);

/// An addition to a sum.
pub(crate) struct Addition {
    /// The name of the sum's table.
    pub(crate) table: &'static str,
    pub(crate) key: Vec<u8>,
    pub(crate) delta: i128,
}

impl Sum {
    pub fn new(value: i128) -> Self {
        Self(value)
    }

    pub fn value(self) -> i128 {
        self.0
    }
}

impl Record for Sum {
    fn encode(&self) -> Vec<u8> {
        self.0.to_be_bytes().to_vec()
    }

    fn decode(_version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        let bytes = bytes.try_into().map_err(|_| {
            RecordError::Payload(format!("a sum has 16 bytes, here are {}", bytes.len()))
        })?;
        Ok(Self(i128::from_be_bytes(bytes)))
    }
}
