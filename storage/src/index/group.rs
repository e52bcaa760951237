//! The claims of a group on its way to the disk.

use std::sync::Arc;

use super::Taken;
use super::entry::Place;
use super::log::{self, Rows};
use super::memory::Memory;
use super::state::Indexes;
use crate::batch::Claims;
use crate::engine::Change;
use crate::error::{Claimed, CommitError, ReadError};
use crate::table::CLAIM_TAG;

/// Claims that hold and are not durable yet.
pub(crate) struct GroupClaims<'i> {
    indexes: &'i Indexes,
    /// Those of the group before, which may not be durable yet.
    before: Arc<Memory>,
    /// All of them, to hold later batches of the group against.
    taken: Memory,
    held: Vec<Claims>,
    rows: u64,
}

impl<'i> GroupClaims<'i> {
    pub(crate) fn new(indexes: &'i Indexes) -> Self {
        Self::against(indexes, Arc::default())
    }

    fn against(indexes: &'i Indexes, before: Arc<Memory>) -> Self {
        Self { indexes, before, taken: Memory::default(), held: Vec::new(), rows: 0 }
    }

    /// Those of the group behind this one, which holds no more.
    pub(crate) fn behind(&mut self) -> Self {
        Self::against(self.indexes, Arc::new(std::mem::take(&mut self.taken)))
    }

    /// Holds all claims of a batch, or none.
    pub(crate) fn hold(&mut self, claims: Vec<Claims>) -> Result<Held, CommitError> {
        let held = Held { before: self.held.len() };
        for claims in claims {
            if let Err(refused) = self.hold_part(claims) {
                self.take_back(held);
                return Err(refused);
            }
        }
        Ok(held)
    }

    /// Takes back the claims of the last batch, which is refused for another reason.
    pub(crate) fn take_back(&mut self, held: Held) {
        for claims in self.held.drain(held.before..) {
            let slot = self.taken.number(Place::new(claims.index, claims.scope));
            for (fingerprint, _) in claims.entries {
                self.taken.take_back(slot, fingerprint);
            }
        }
    }

    /// The rows that make the claims durable with the rest of the group.
    pub(crate) fn changes(&mut self) -> Vec<Change> {
        let mut rows = Rows::default();
        for claims in &self.held {
            let place = Place::new(claims.index, claims.scope);
            claims.entries.iter().for_each(|(fingerprint, taken)| {
                rows.add(place, *fingerprint, taken);
            });
        }
        let rows = rows.finish();
        self.rows = rows.len() as u64;
        let first = self.indexes.next_row();
        (first..).zip(rows).map(|(number, row)| log::sealed(number, &row)).collect()
    }

    /// Lets everybody see the claims, once they are durable.
    pub(crate) fn publish(self) {
        if self.rows > 0 {
            self.indexes.take_in(&self.held, self.rows);
        }
    }

    fn hold_part(&mut self, mut claims: Claims) -> Result<(), CommitError> {
        let place = Place::new(claims.index, claims.scope);
        let (slot, slot_before) = (self.taken.number(place), self.before.slot(place));
        let mut conflict = None;
        for (at, (fingerprint, taken)) in claims.entries.iter().enumerate() {
            let before = slot_before.and_then(|slot| self.before.get(slot, *fingerprint));
            if let Some(there) = before.or_else(|| self.taken.claim(slot, *fingerprint, *taken)) {
                conflict = Some((at, there));
                break;
            }
        }
        let known = if conflict.is_none() { self.indexes.first_taken(&claims) } else { Ok(None) };
        let refused = match known {
            Ok(known) => known.or(conflict).map(|(at, there)| claimed(&claims, at, there)),
            Err(fault) => Some(CommitError::Failed(ReadError::from(fault).to_string())),
        };
        // What stands in the list is what was noted, also when that is only a part.
        if let Some((at, _)) = conflict {
            claims.entries.truncate(at);
        }
        self.held.push(claims);
        refused.map_or(Ok(()), Err)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Held {
    before: usize,
}

fn claimed(claims: &Claims, at: usize, there: Taken) -> CommitError {
    let (fingerprint, _) = claims.entries[at];
    let index = claims.index;
    let scope = claims.scope.to_be_bytes();
    let key = [index.tag().to_be_bytes().as_slice(), &scope, &fingerprint.0].concat();
    let row = there.to_vec();
    CommitError::Claimed(Claimed { tag: CLAIM_TAG, name: index.name(), key, row })
}
