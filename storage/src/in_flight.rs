//! What one writer has handed in and what is not answered yet, so that it reads its own writes.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::batch::Batch;
use crate::error::ReadError;
use crate::index::{Fingerprint, Index, Taken};
use crate::key::Key;
use crate::record::{self, Record};
use crate::table::Table;

/// Rows and claims of the batches of one writer that are under way. Rows that the committer
/// computes from drawn numbers are not among them.
#[derive(Debug, Default)]
pub struct InFlight {
    /// By key: the number of the batch that wrote it last, and the row; `None` was deleted.
    rows: FxHashMap<Vec<u8>, (u64, Option<Vec<u8>>)>,
    fingerprints: FxHashMap<(u16, u64, Fingerprint), (u64, Taken)>,
    batches: VecDeque<Written>,
}

#[derive(Debug)]
struct Written {
    number: u64,
    keys: Vec<Vec<u8>>,
    fingerprints: Vec<(u16, u64, Fingerprint)>,
}

impl InFlight {
    /// Notes a batch that is about to be handed in. Numbers rise.
    pub fn note(&mut self, number: u64, batch: &Batch) {
        let mut written = Written { number, keys: Vec::new(), fingerprints: Vec::new() };
        self.rows.reserve(batch.writes.len());
        for write in &batch.writes {
            self.rows.insert(write.key.clone(), (number, write.row.clone()));
            written.keys.push(write.key.clone());
        }
        for claims in &batch.claims {
            self.fingerprints.reserve(claims.entries.len());
            for (fingerprint, taken) in &claims.entries {
                let key = (claims.index.tag(), claims.scope, *fingerprint);
                self.fingerprints.insert(key, (number, *taken));
                written.fingerprints.push(key);
            }
        }
        if !written.keys.is_empty() || !written.fingerprints.is_empty() {
            self.batches.push_back(written);
        }
    }

    /// Lays a batch over the rows for good, for a writer whose batches are never handed in.
    pub fn keep(&mut self, batch: &Batch) {
        let never = u64::MAX;
        for write in &batch.writes {
            self.rows.insert(write.key.clone(), (never, write.row.clone()));
        }
        for claims in &batch.claims {
            for (fingerprint, taken) in &claims.entries {
                let key = (claims.index.tag(), claims.scope, *fingerprint);
                self.fingerprints.insert(key, (never, *taken));
            }
        }
    }

    /// Drops what the batches up to `number` wrote, which is answered and so read from the store.
    pub fn landed(&mut self, number: u64) {
        while self.batches.front().is_some_and(|written| written.number <= number) {
            let Some(written) = self.batches.pop_front() else { return };
            for key in written.keys {
                if self.rows.get(&key).is_some_and(|(by, _)| *by <= number) {
                    self.rows.remove(&key);
                }
            }
            for key in written.fingerprints {
                self.fingerprints.remove(&key);
            }
        }
        // `keep` notes no batch: what it keeps never lands.
        if self.batches.is_empty() && self.rows.is_empty() && self.fingerprints.is_empty() {
            *self = Self::default();
        }
    }

    /// The row of a key as a batch under way leaves it: `None` when none writes it, `Some(None)`
    /// when it is deleted.
    pub fn get<K: Key, V: Record>(
        &self,
        table: Table<K, V>,
        key: &K,
    ) -> Result<Option<Option<V>>, ReadError> {
        if self.rows.is_empty() {
            return Ok(None);
        }
        let key = table.bytes(key);
        let Some((_, row)) = self.rows.get(&key) else { return Ok(None) };
        let row = row.as_ref().map(|row| record::unseal(table.name(), &key, row));
        row.transpose().map(Some)
    }

    /// Whether a batch under way puts (`true`) or deletes (`false`) this key.
    pub fn contains<K: Key, V>(&self, table: Table<K, V>, key: &K) -> Option<bool> {
        if self.rows.is_empty() {
            return None;
        }
        self.rows.get(&table.bytes(key)).map(|(_, row)| row.is_some())
    }

    pub fn taken(&self, index: Index, scope: u64, fingerprint: Fingerprint) -> Option<Taken> {
        self.fingerprints.get(&(index.tag(), scope, fingerprint)).map(|(_, taken)| *taken)
    }
}
