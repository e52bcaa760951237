//! Chunks give back what they were given, and are small.

use proptest::prelude::*;
use storage::Record;

use super::events::{day, recorded, uuid};
use crate::domain::billing::usage::chunk::ChunkWriter;
use crate::domain::billing::usage::{
    Entry, EventChunk, EventKey, MAX_CHUNK_BYTES, MAX_METADATA_BYTES, UsageDay, UsageEvent,
};
use crate::domain::ids::UsageEventId;
use crate::domain::quantity::Quantity;

fn chunk(events: &[UsageEvent]) -> EventChunk {
    let mut writer = ChunkWriter::default();
    events.iter().for_each(|event| writer.push(&Entry::kept(event)));
    writer.finish()
}

/// Events of a busy moment: ids that others draw from too, quantities with two decimals.
fn plain(count: u64, key: impl Fn(u64) -> String) -> Vec<UsageEvent> {
    (0..count)
        .map(|n| {
            let scrambled = n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
            let occurred_at = day(0).start().plus_millis(30_000_000 + n.cast_signed() * 37);
            UsageEvent {
                id: UsageEventId(1_000_000 + n * 3),
                key: EventKey::parse(&key(n)).expect("a key"),
                quantity: Quantity::parse(&format!("{}.{:02}", scrambled % 500, scrambled % 97))
                    .expect("a quantity"),
                occurred_at,
                received_at: day(0).start().plus_millis(40_000_123),
                metadata: None,
                version: 1,
            }
        })
        .collect()
}

fn random_uuid(n: u64) -> String {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(n.to_be_bytes());
    let mut bits = [0; 16];
    bits.copy_from_slice(&digest[..16]);
    uuid(u128::from_be_bytes(bits))
}

proptest! {
    #[test]
    fn events_come_back_from_a_chunk(events in recorded(60)) {
        let stored = chunk(&events);
        let read = EventChunk::decode(1, &stored.encode()).expect("a chunk");
        prop_assert_eq!(read.events(), Ok(events));
    }

    #[test]
    fn events_come_back_from_a_day(events in recorded(120), batches in prop::collection::vec(1..50_usize, 1..40)) {
        let mut day = UsageDay::default();
        let (mut rest, mut sizes) = (events.as_slice(), batches.iter().cycle());
        let (mut read, mut sealed) = (Vec::new(), 0);
        while !rest.is_empty() {
            let size = sizes.next().copied().unwrap_or(1).min(rest.len());
            let (now, later) = rest.split_at(size);
            let bytes = now.iter().map(|event| Entry::kept(event).most_bytes()).sum();
            if day.has_room(now.len(), bytes) {
                now.iter().for_each(|event| day.keep(Entry::kept(event)));
            } else {
                let tail = day.tail().expect("a tail");
                for (first, chunk) in day.seal(&tail, now.iter().map(Entry::kept)) {
                    prop_assert_eq!(first, sealed);
                    let events = chunk.events().expect("events");
                    sealed += events.len() as u64;
                    read.extend(events);
                }
            }
            prop_assert_eq!(day.sealed(), sealed);
            let row = UsageDay::decode(1, &day.encode()).expect("a day");
            prop_assert_eq!(&row, &day);
            day = row;
            rest = later;
        }
        prop_assert_eq!(day.events(), events.len() as u64);
        read.extend(day.tail().expect("a tail"));
        prop_assert_eq!(read, events);
    }

    #[test]
    fn damaged_chunks_and_days_are_refused_or_read(bytes: Vec<u8>, at in 0..200_usize, bit in 0..8_u8) {
        let mut row = chunk(&plain(40, random_uuid)).encode();
        let place = at % row.len();
        row[place] ^= 1 << bit;
        for row in [row, bytes] {
            let _ = EventChunk::decode(1, &row).and_then(|chunk| chunk.events());
            let _ = UsageDay::decode(1, &row).and_then(|day| day.tail());
        }
    }
}

#[test]
fn an_event_takes_few_bytes() {
    let bytes = |events: &[UsageEvent]| chunk(events).encode().len() / events.len();
    let of_uuids = bytes(&plain(500, random_uuid));
    let of_short_keys = bytes(&plain(500, |n| format!("load-3-{n}")));
    let of_few = bytes(&plain(32, random_uuid));
    println!("bytes an event: UUID keys {of_uuids}, short keys {of_short_keys}, 32 UUIDs {of_few}");
    assert!(of_uuids <= 24, "{of_uuids} bytes with a UUID");
    assert!(of_few <= 30, "{of_few} bytes in a small chunk");
    assert!(of_short_keys <= 12, "{of_short_keys} bytes with a short key");
}

#[test]
fn long_metadata_is_spread_over_rows_that_fit() {
    let events: Vec<_> = plain(20, random_uuid)
        .into_iter()
        .enumerate()
        .map(|(n, event)| {
            // What does not compress is the hardest to fit.
            let noise = (0..).map(|m| random_uuid(n as u64 * 1_000 + m));
            let text: String = noise.take(MAX_METADATA_BYTES / 36).collect();
            UsageEvent { metadata: Some(text), ..event }
        })
        .collect();
    let mut day = UsageDay::default();
    let chunks = day.seal(&[], events.iter().map(Entry::kept));
    assert!(chunks.len() > 5);
    let mut read = Vec::new();
    for (first, chunk) in chunks {
        assert_eq!(first, read.len() as u64);
        assert!(chunk.encode().len() < MAX_CHUNK_BYTES + 1_024);
        read.extend(chunk.events().expect("events"));
    }
    assert_eq!(read, events);
}
