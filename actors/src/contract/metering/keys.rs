//! Keys of events that this room has handed in and that may not be durable yet.

use std::collections::{HashMap, VecDeque};

use crate::domain::billing::usage::{EventFingerprint, PayloadHash};
use crate::domain::ids::UsageEventId;

/// What a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known {
    pub(super) payload: PayloadHash,
    pub(super) event: UsageEventId,
}

impl Known {
    /// As the index of all keys keeps it.
    pub(super) fn taken(self) -> [u8; 16] {
        let mut taken = [0; 16];
        taken[..8].copy_from_slice(&self.payload.0);
        taken[8..].copy_from_slice(&self.event.0.to_be_bytes());
        taken
    }

    pub(super) fn of_taken(taken: [u8; 16]) -> Self {
        let (mut payload, mut event) = ([0; 8], [0; 8]);
        payload.copy_from_slice(&taken[..8]);
        event.copy_from_slice(&taken[8..]);
        Self { payload: PayloadHash(payload), event: UsageEventId(u64::from_be_bytes(event)) }
    }
}

/// The keys in flight, each with what it stands for and whether its event is late.
#[derive(Debug, Default)]
pub(super) struct KeysInFlight {
    known: HashMap<EventFingerprint, (Known, bool)>,
    /// The keys of each batch, oldest first.
    batches: VecDeque<(u64, Vec<EventFingerprint>)>,
}

impl KeysInFlight {
    /// Lets go of the keys of batches that have landed. To be called before the durable keys are
    /// searched, so that no key is in neither place.
    pub(super) fn landed(&mut self, batches: u64) {
        while self.batches.front().is_some_and(|(batch, _)| *batch <= batches) {
            for key in self.batches.pop_front().into_iter().flat_map(|(_, keys)| keys) {
                self.known.remove(&key);
            }
        }
        if self.batches.is_empty() && self.known.capacity() > 4_096 {
            self.known = HashMap::new();
        }
    }

    pub(super) fn get(&self, key: &EventFingerprint) -> Option<(Known, bool)> {
        self.known.get(key).copied()
    }

    pub(super) fn note(&mut self, key: EventFingerprint, known: Known, late: bool) {
        self.known.insert(key, (known, late));
    }

    /// The keys that were noted since the last batch go with this one.
    pub(super) fn hand_in(&mut self, batch: u64, keys: Vec<EventFingerprint>) {
        self.batches.push_back((batch, keys));
    }
}
