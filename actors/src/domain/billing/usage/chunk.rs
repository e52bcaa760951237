//! Sealed events: many in one row, packed in columns and compressed.

use storage::{Record, RecordError};

use super::key_form::{KeyForm, UUID_BYTES};
use super::pack::{Unpacker, damaged, put_bytes, put_number, put_signed};
use super::recorded::{Entry, UsageEvent, put_quantity, short, take_quantity, text};
use crate::domain::ids::UsageEventId;
use crate::domain::time::Timestamp;

/// Bytes of events that a chunk takes, before they are compressed. It leaves a row room for what
/// compression may add to bytes that do not compress.
pub const MAX_CHUNK_BYTES: usize = 48 * 1024;

pub const MAX_CHUNK_EVENTS: u64 = 4_096;

/// Steps that instants are counted in, coarsest first: seconds, milliseconds, microseconds.
const STEPS: [i64; 3] = [1_000_000, 1_000, 1];

/// Events of one contract, metric and day that arrived one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventChunk {
    packed: Vec<u8>,
}

#[derive(Debug, Default)]
pub(super) struct ChunkWriter {
    events: u64,
    bytes: usize,
    ids: Vec<u8>,
    times: Vec<i64>,
    received: Vec<u8>,
    quantities: Vec<u8>,
    versions: Vec<u8>,
    key_kinds: Vec<u8>,
    keys: Vec<u8>,
    metadata: Vec<u8>,
    last: Last,
    last_key: String,
}

#[derive(Debug, Default)]
struct Last {
    id: u64,
    received: i64,
    version: u32,
}

impl ChunkWriter {
    pub(super) fn has_room(&self, event: &Entry<'_>) -> bool {
        let fits = self.bytes + event.most_bytes() <= MAX_CHUNK_BYTES;
        self.events == 0 || (fits && self.events < MAX_CHUNK_EVENTS)
    }

    pub(super) fn push(&mut self, event: &Entry<'_>) {
        put_signed(&mut self.ids, event.id.wrapping_sub(self.last.id).cast_signed());
        self.times.push(event.occurred_at);
        put_signed(&mut self.received, event.received_at.wrapping_sub(self.last.received));
        put_signed(&mut self.versions, i64::from(event.version) - i64::from(self.last.version));
        put_quantity(&mut self.quantities, event.quantity);
        self.push_key(event.key);
        match event.metadata {
            None => put_number(&mut self.metadata, 0),
            Some(text) => {
                put_number(&mut self.metadata, text.len() as u64 + 1);
                self.metadata.extend_from_slice(text.as_bytes());
            }
        }
        self.last = Last { id: event.id, received: event.received_at, version: event.version };
        self.events += 1;
        // Instants take ten bytes at most.
        self.bytes = self.ids.len()
            + 10 * self.times.len()
            + self.received.len()
            + self.quantities.len()
            + self.versions.len()
            + self.key_kinds.len()
            + self.keys.len()
            + self.metadata.len();
    }

    /// A UUID as it is; of other keys only what differs from the one before.
    fn push_key(&mut self, key: &str) {
        let form = KeyForm::of(key);
        self.key_kinds.push(form.kind());
        if KeyForm::is_uuid(form.kind()) {
            self.keys.extend_from_slice(form.bytes());
            return;
        }
        let alike = self.last_key.bytes().zip(key.bytes()).take_while(|(a, b)| a == b).count();
        put_number(&mut self.keys, alike as u64);
        put_bytes(&mut self.keys, &key.as_bytes()[alike..]);
        self.last_key.clear();
        self.last_key.push_str(key);
    }

    /// The chunk of what was pushed; the writer then begins anew.
    pub(super) fn finish(&mut self) -> EventChunk {
        let done = std::mem::take(self);
        let (step, times) = pack_times(&done.times);
        let mut out = Vec::with_capacity(done.bytes + 64);
        put_number(&mut out, done.events);
        put_signed(&mut out, step);
        for column in [
            &done.ids,
            &times,
            &done.received,
            &done.quantities,
            &done.versions,
            &done.key_kinds,
            &done.keys,
            &done.metadata,
        ] {
            put_bytes(&mut out, column);
        }
        EventChunk { packed: lz4_flex::compress_prepend_size(&out) }
    }
}

/// Instants as steps from one to the next, and the step: the coarsest that loses nothing.
fn pack_times(times: &[i64]) -> (i64, Vec<u8>) {
    let fits = |step: &&i64| times.iter().all(|at| at % **step == 0);
    let step = STEPS.iter().find(fits).copied().unwrap_or(1);
    let mut out = Vec::with_capacity(times.len() * 5);
    let mut last = 0;
    for at in times.iter().map(|at| at / step) {
        put_signed(&mut out, at - last);
        last = at;
    }
    (step, out)
}

impl EventChunk {
    pub fn events(&self) -> Result<Vec<UsageEvent>, RecordError> {
        let size = self.packed.first_chunk::<4>().map(|size| u32::from_le_bytes(*size));
        // One event may be longer than a chunk; nothing is longer than what a request can bring.
        if size.is_none_or(|size| size > 16 * 1024 * 1024) {
            return Err(damaged("a chunk has a wrong size"));
        }
        let plain = lz4_flex::decompress_size_prepended(&self.packed)
            .map_err(|_| damaged("a chunk does not decompress"))?;
        Columns::open(&plain)?.events()
    }
}

/// The columns of a chunk, each read from its front.
struct Columns<'a> {
    events: usize,
    step: i64,
    ids: Unpacker<'a>,
    times: Unpacker<'a>,
    received: Unpacker<'a>,
    quantities: Unpacker<'a>,
    versions: Unpacker<'a>,
    key_kinds: Unpacker<'a>,
    keys: Unpacker<'a>,
    metadata: Unpacker<'a>,
}

impl<'a> Columns<'a> {
    fn open(plain: &'a [u8]) -> Result<Self, RecordError> {
        let mut from = Unpacker::new(plain);
        let (events, step) = (from.length()?, from.signed()?);
        let mut column = || from.bytes().map(Unpacker::new);
        Ok(Self {
            events,
            step,
            ids: column()?,
            times: column()?,
            received: column()?,
            quantities: column()?,
            versions: column()?,
            key_kinds: column()?,
            keys: column()?,
            metadata: column()?,
        })
    }

    fn events(mut self) -> Result<Vec<UsageEvent>, RecordError> {
        let (mut id, mut at, mut received, mut version) = (0_u64, 0_i64, 0_i64, 0_i64);
        let mut last_key = Vec::new();
        let mut events = Vec::new();
        for _ in 0..self.events {
            id = id.wrapping_add(self.ids.signed()?.cast_unsigned());
            at = at.wrapping_add(self.times.signed()?);
            received = received.wrapping_add(self.received.signed()?);
            version = version.wrapping_add(self.versions.signed()?);
            let kind = self.key_kinds.byte()?;
            let key = if KeyForm::is_uuid(kind) {
                KeyForm::read(kind, self.keys.take(UUID_BYTES)?)?
            } else {
                let alike = self.keys.length()?;
                if alike > last_key.len() {
                    return Err(damaged("a key has no beginning"));
                }
                last_key.truncate(alike);
                last_key.extend_from_slice(self.keys.bytes()?);
                KeyForm::read(kind, &last_key)?
            };
            let metadata = match self.metadata.length()? {
                0 => None,
                length => Some(text(self.metadata.take(length - 1)?)?),
            };
            events.push(UsageEvent {
                id: UsageEventId(id),
                key,
                quantity: take_quantity(&mut self.quantities)?,
                occurred_at: Timestamp::from_micros(at.wrapping_mul(self.step)),
                received_at: Timestamp::from_micros(received),
                metadata,
                version: short(u64::try_from(version).unwrap_or(u64::MAX))?,
            });
        }
        Ok(events)
    }
}

impl Record for EventChunk {
    fn encode(&self) -> Vec<u8> {
        self.packed.clone()
    }

    fn decode(_: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        Ok(Self { packed: bytes.to_vec() })
    }
}
