//! What happens together: rows, claims, numbers and sums, all of them or nothing.

use std::fmt;

use crate::index::{Fingerprint, Index, Seen, Taken};
use crate::key::Key;
use crate::lane::Lane;
use crate::numbers::{Draw, Link, MakeLink, Numbers};
use crate::record::{self, Record};
use crate::shard::Shard;
use crate::sums::{Addition, Sum};
use crate::table::{IdKind, Table, sequence_counter};

/// The longest key in bytes, with those of its shard and its table's tag.
pub const MAX_KEY_BYTES: usize = 4 * 1024 + 2;

/// The longest row in bytes, with the five bytes of its envelope. Larger ones would leave the
/// file that is synced.
pub const MAX_VALUE_BYTES: usize = 64 * 1024;

pub(crate) type RowsOfNumbers = Box<dyn FnOnce(&Numbers, &mut Batch) + Send>;

/// Rows to write, claims that must hold, numbers to draw and sums to add to, in one atomic step.
#[derive(Default)]
pub struct Batch {
    pub(crate) writes: Vec<Write>,
    pub(crate) claims: Vec<Claims>,
    pub(crate) draws: Vec<Draw>,
    pub(crate) additions: Vec<Addition>,
    /// With each, the index of the first draw it may see as its number 0.
    pub(crate) rows_of_numbers: Vec<(usize, RowsOfNumbers)>,
    pub(crate) lane: Option<Lane>,
    /// Why this batch cannot be written, found while it was put together.
    pub(crate) fault: Option<String>,
    pub(crate) bytes: usize,
}

pub(crate) struct Claims {
    pub(crate) index: Index,
    pub(crate) scope: u64,
    pub(crate) entries: Vec<(Fingerprint, Taken)>,
    pub(crate) seen: Seen,
}

pub(crate) struct Write {
    pub(crate) key: Vec<u8>,
    /// The row in its envelope; `None` deletes.
    pub(crate) row: Option<Vec<u8>>,
    /// The name of the table when the key must be absent.
    pub(crate) claim: Option<&'static str>,
    /// Whoever writes it knows that the key is absent.
    pub(crate) is_new: bool,
}

impl Batch {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn is_empty(&self) -> bool {
        self.writes.is_empty()
            && self.claims.is_empty()
            && self.draws.is_empty()
            && self.additions.is_empty()
            && self.rows_of_numbers.is_empty()
            && self.fault.is_none()
    }

    /// Rows that this batch puts and deletes, and counters and sums that it moves. Rows of
    /// [`with_numbers`](Batch::with_numbers) are made by the committer and not counted.
    pub fn rows(&self) -> usize {
        self.writes.len() + self.draws.len() + self.additions.len()
    }

    /// Bytes of keys, rows and claims.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Sets the lane on which this batch stands or falls. The last one set counts.
    pub fn lane(&mut self, lane: &Lane) {
        self.lane = Some(lane.clone());
    }

    /// Puts a row, in place of what is there. A later put or delete of the same key wins.
    ///
    /// A key above [`MAX_KEY_BYTES`] or a row above [`MAX_VALUE_BYTES`] makes the whole batch
    /// answer [`CommitError::Failed`](crate::CommitError::Failed); nothing of it is written.
    pub fn put<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K, value: &V) {
        let key = table.bytes(key);
        let row = record::seal(&key, value);
        self.push(table.name(), key, Some(row), false);
    }

    /// Puts a row whose key is absent as whoever writes it knows, which nobody looks at again: a
    /// row that is deleted soon then leaves nothing behind. Where the key is there all the same,
    /// what is there may be seen again after a deletion; a debug build panics.
    pub fn put_new<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K, value: &V) {
        self.put(table, key, value);
        if let Some(write) = self.writes.last_mut() {
            write.is_new = true;
        }
    }

    /// Puts a row of the store itself.
    pub(crate) fn put_own<V: Record>(&mut self, key: Vec<u8>, value: &V) {
        let row = record::seal(&key, value);
        self.put_raw(key, row);
    }

    pub(crate) fn put_raw(&mut self, key: Vec<u8>, row: Vec<u8>) {
        self.push("the store", key, Some(row), false);
    }

    pub(crate) fn delete_raw(&mut self, key: Vec<u8>) {
        self.push("the store", key, None, false);
    }

    /// Deletes a row; a key that is absent is no error.
    pub fn delete<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K) {
        self.push(table.name(), table.bytes(key), None, false);
    }

    /// Puts a row whose key must be absent: when it is present, the whole batch is refused with
    /// [`CommitError::Claimed`](crate::CommitError::Claimed).
    ///
    /// Claims are held against all that was handed in before this batch, and against earlier
    /// claims of the batch itself; its own puts and deletes do not count.
    pub fn claim<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K, value: &V) {
        let key = table.bytes(key);
        let row = record::seal(&key, value);
        self.push(table.name(), key, Some(row), true);
    }

    /// Demands that a key is absent, and writes nothing there. Held as [`claim`](Batch::claim) holds
    /// its key.
    pub fn require_absent<K: Key, V: Record>(&mut self, table: Table<K, V>, key: &K) {
        self.push(table.name(), table.bytes(key), None, true);
    }

    /// Claims fingerprints in a scope of an index, each with what it is claimed for. When one is
    /// present, the batch is refused with [`CommitError::Claimed`](crate::CommitError::Claimed).
    ///
    /// Held as [`claim`](Batch::claim) holds its key. `seen` comes from the search that has found
    /// them free, and spares the committer what that search has looked at; [`Seen::default`] is
    /// right for fingerprints that nobody has searched for.
    pub fn claim_fingerprints(
        &mut self,
        index: Index,
        scope: u64,
        entries: Vec<(Fingerprint, Taken)>,
        seen: Seen,
    ) {
        self.push_claims(Claims { index, scope, entries, seen });
    }

    pub(crate) fn push_claims(&mut self, claims: Claims) {
        self.bytes += claims.entries.len() * size_of::<(Fingerprint, Taken)>();
        self.claims.push(claims);
    }

    /// Draws the next number of a gapless sequence that counts from 1; the answer is the index
    /// of the number in [`Numbers`]. A refused batch draws nothing.
    ///
    /// Sequences are named by the key alone: those with different meanings need keys that differ.
    pub fn draw(&mut self, sequence: &impl Key) -> usize {
        self.draw_from(sequence_counter(sequence), None)
    }

    /// Draws as [`draw`](Self::draw) does, and links the number to those before it: `link` makes
    /// its link of the one before; there is none before the first. It runs on the committer's
    /// thread and must be quick. A sequence is linked always or never.
    pub fn draw_linked(
        &mut self,
        sequence: &impl Key,
        link: impl FnOnce(Option<&Link>) -> Link + Send + 'static,
    ) -> usize {
        self.draw_from(sequence_counter(sequence), Some(Box::new(link)))
    }

    pub(crate) fn draw_block(&mut self, kind: IdKind, shard: Option<Shard>) -> usize {
        self.draw_from(kind.counter(shard), None)
    }

    /// Adds to a sum, which begins with 0. The committer makes its row, so that many writers may
    /// add to one: no addition is lost, and none waits for another. A refused batch adds nothing.
    ///
    /// Whoever hands in the batch does not see the sum before it is committed, and neither puts
    /// nor deletes a key that the same batch adds to.
    ///
    /// A sum is a figure, which keeps nothing else from being written: where its row is damaged it
    /// stays as it is, so that whoever reads it is told, and the rest of the batch is committed.
    pub fn add<K: Key>(&mut self, table: Table<K, Sum>, key: &K, delta: i64) {
        let (table, key, delta) = (table.name(), table.bytes(key), i128::from(delta));
        match self.additions.last_mut().filter(|last| last.key == key) {
            Some(last) => last.delta += delta,
            None => {
                self.check(table, key.len(), 0);
                self.additions.push(Addition { table, key, delta });
            }
        }
    }

    /// Adds rows that need the drawn numbers. The committer runs `rows` once all claims hold
    /// and the numbers are drawn; it must be quick and must not wait. It may put and delete:
    /// claims, draws, additions and further calls of this function make the batch fail.
    pub fn with_numbers(&mut self, rows: impl FnOnce(&Numbers, &mut Batch) + Send + 'static) {
        self.rows_of_numbers.push((0, Box::new(rows)));
    }

    pub fn draws(&self) -> usize {
        self.draws.len()
    }

    /// Adds all that `other` does, after what this batch does. Numbers that `other` draws are
    /// found in the receipt behind those of this batch, [`draws`](Batch::draws) places further
    /// on; its own [`with_numbers`](Batch::with_numbers) see them where they were. This batch's
    /// lane stays, unless it has none.
    pub fn append(&mut self, other: Batch) {
        let shift = self.draws.len();
        self.writes.extend(other.writes);
        self.claims.extend(other.claims);
        self.draws.extend(other.draws);
        self.additions.extend(other.additions);
        self.rows_of_numbers
            .extend(other.rows_of_numbers.into_iter().map(|(first, rows)| (first + shift, rows)));
        self.lane = self.lane.take().or(other.lane);
        self.fault = self.fault.take().or(other.fault);
        self.bytes += other.bytes;
    }

    fn draw_from(&mut self, counter: Vec<u8>, link: Option<MakeLink>) -> usize {
        self.check("the sequences", counter.len(), 0);
        self.draws.push(Draw { counter, link });
        self.draws.len() - 1
    }

    fn push(&mut self, table: &'static str, key: Vec<u8>, row: Option<Vec<u8>>, claim: bool) {
        self.check(table, key.len(), row.as_ref().map_or(0, Vec::len));
        self.writes.push(Write { key, row, claim: claim.then_some(table), is_new: claim });
    }

    fn check(&mut self, table: &'static str, key: usize, row: usize) {
        self.bytes += key + row;
        if self.fault.is_some() {
            return;
        }
        if key > MAX_KEY_BYTES {
            self.fault =
                Some(format!("a key of {table} has {key} bytes; at most {MAX_KEY_BYTES} fit"));
        } else if row > MAX_VALUE_BYTES {
            self.fault =
                Some(format!("a row of {table} has {row} bytes; at most {MAX_VALUE_BYTES} fit"));
        }
    }
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("writes", &self.writes.len())
            .field("draws", &self.draws.len())
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    pub numbers: Numbers,
}
