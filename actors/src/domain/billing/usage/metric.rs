//! Metrics: what is measured, and how a period's events become one quantity.

use std::fmt;

use storage::{CborRecord, Key, KeyError, KeyReader, KeyWriter};

use crate::domain::names::names;
use crate::domain::time::Timestamp;

/// The metric that counts seats. It is there from the start, takes no events, and has the one
/// price scheme `per_seat`.
pub const SEATS: &str = "platform.seat.active";

const MAX_NAME: usize = 128;

/// The registered name of a metric: 1 to 128 of `A-Z a-z 0-9 _ . : -`, and neither `.` nor `..`,
/// which no address can have as a step.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, minicbor::Encode, minicbor::Decode,
)]
#[cbor(transparent)]
pub struct MetricName(#[n(0)] String);

impl MetricName {
    pub fn parse(text: &str) -> Option<Self> {
        let shaped = (1..=MAX_NAME).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:-".contains(&b))
            && !matches!(text, "." | "..");
        shaped.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn seats() -> Self {
        Self(SEATS.to_owned())
    }

    pub fn is_seats(&self) -> bool {
        self.0 == SEATS
    }
}

impl fmt::Display for MetricName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Key for MetricName {
    fn write(&self, out: &mut KeyWriter) {
        self.0.write(out);
    }
    fn read(from: &mut KeyReader<'_>) -> Result<Self, KeyError> {
        String::read(from).map(Self)
    }
}

names! {
    /// How the events of a period become one quantity. The numbers are on disk.
    Aggregation;
    0 Sum = "sum",
    1 Max = "max",
    2 Min = "min",
    3 Last = "last",
    4 Count = "count",
    /// How many distinct values of one metadata key there were, at most 1,000.
    5 CountUnique = "count_unique",
}

/// One version of a metric's definition.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Metric {
    #[n(0)]
    pub name: MetricName,
    /// Counts the definitions from 1; events belong to the one current on their arrival.
    #[n(1)]
    pub version: u32,
    /// What is counted, in the seller's words, at most 32 characters.
    #[n(2)]
    pub unit: String,
    #[n(3)]
    pub aggregation: Aggregation,
    /// The metadata key whose values are counted; with `count_unique` alone.
    #[n(4)]
    pub unique_key: Option<String>,
    /// The seller's words, at most 256 characters.
    #[n(5)]
    pub description: Option<String>,
    #[n(6)]
    pub created_at: Timestamp,
}

impl CborRecord for Metric {}
