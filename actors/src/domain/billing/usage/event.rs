//! Usage events as they arrive.

use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::metric::MetricName;
use super::recorded::most_bytes;
use crate::domain::ids::{ContractId, UsageEventId};
use crate::domain::quantity::Quantity;
use crate::domain::time::Timestamp;

const MAX_KEY_CHARS: usize = 255;

/// The caller's key for one event; unique for a seller for ever.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, minicbor::Encode, minicbor::Decode,
)]
#[cbor(transparent)]
pub struct EventKey(#[n(0)] String);

/// Stands for an event's key in the index of all keys.
pub type EventFingerprint = storage::Fingerprint;

/// Stands for everything an event says beside its key, to tell a repetition from another event
/// under the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PayloadHash(pub [u8; 8]);

/// An event that is well formed; what it refers to is checked where it is recorded.
#[derive(Clone, Debug)]
pub struct NewEvent {
    pub metric: MetricName,
    /// How much, 0 or more.
    pub quantity: Quantity,
    pub occurred_at: Timestamp,
    pub key: EventKey,
    pub metadata: Option<Box<RawValue>>,
    pub fingerprint: EventFingerprint,
    /// Of everything else, with the contract.
    pub payload: PayloadHash,
}

/// What became of an event that is recorded, now or before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ingested {
    pub event: UsageEventId,
    /// Whether this very event was recorded before; then nothing was written now.
    pub duplicate: bool,
    /// Whether a subscription of the contract covers the time at which it happened.
    pub metered: bool,
    /// Whether that time was closed already for its metric, so that it counts to no period.
    pub late: bool,
}

impl EventKey {
    /// Takes a key of 1 to 255 characters, none of which is a control character.
    pub fn parse(text: &str) -> Option<Self> {
        let shaped = (1..=MAX_KEY_CHARS).contains(&text.chars().take(MAX_KEY_CHARS + 1).count())
            && !text.chars().any(char::is_control);
        shaped.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn fingerprint(&self) -> EventFingerprint {
        storage::Fingerprint(first_bytes(&Sha256::digest(self.0.as_bytes())))
    }
}

impl NewEvent {
    /// An event of a contract. `canonical_metadata` is the metadata with the members of each
    /// object in order and numbers in one notation, so that equal JSON values are equal texts.
    pub fn new(
        contract: ContractId,
        metric: MetricName,
        quantity: Quantity,
        occurred_at: Timestamp,
        key: EventKey,
        metadata: Option<(Box<RawValue>, &str)>,
    ) -> Self {
        let (metadata, canonical) = metadata.unzip();
        let mut payload = Sha256::new();
        payload.update(contract.0.to_be_bytes());
        payload.update(occurred_at.micros().to_be_bytes());
        for text in [metric.as_str(), &quantity.to_string(), canonical.unwrap_or_default()] {
            payload.update((text.len() as u64).to_be_bytes());
            payload.update(text.as_bytes());
        }
        let payload = PayloadHash(first_bytes(&payload.finalize()));
        let fingerprint = key.fingerprint();
        Self { metric, quantity, occurred_at, key, metadata, fingerprint, payload }
    }

    /// Whether both are of one metric and day.
    pub fn is_of_the_day_of(&self, other: &Self) -> bool {
        self.metric == other.metric && self.occurred_at.date() == other.occurred_at.date()
    }

    /// Bytes that it takes in a row at most.
    pub fn most_bytes(&self) -> usize {
        most_bytes(self.key.as_str(), self.metadata.as_deref().map(RawValue::get))
    }
}

fn first_bytes<const N: usize>(digest: &[u8]) -> [u8; N] {
    let mut first = [0; N];
    first.copy_from_slice(&digest[..N]);
    first
}
