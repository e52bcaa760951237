//! Where the rows of a folder belong that a program from before shards has written.

use storage::{SEQUENCES, Shard};

use super::{OWNED, PAYEE_HOMES, PAYOUT_HOMES, TIMERS, VENDOR_HOMES};

/// What the keys of sequences begin with that a seller's number follows.
const SEQUENCES_OF_SELLERS: [&[u8]; 3] = [b"events", b"invoice-number", b"contract-order\0\0"];

/// Those that lead from an id to whose it is.
const HOMES: [u16; 3] = [PAYEE_HOMES.tag(), PAYOUT_HOMES.tag(), VENDOR_HOMES.tag()];

/// The shard of a row by the tag of its table and the bytes of its key. Tokens of that time name no
/// shard: what they open is in the first one, as are the rows of nobody.
pub fn shard_of(tag: u16, key: &[u8]) -> Shard {
    let number = match tag {
        SEQUENCES => SEQUENCES_OF_SELLERS.iter().find_map(|beginning| key.strip_prefix(*beginning)),
        _ if OWNED.contains(&tag) || HOMES.contains(&tag) => Some(key),
        _ if tag == TIMERS.tag() => key.get(1..),
        _ => None,
    };
    let number = number.and_then(<[u8]>::first_chunk);
    number.map_or(Shard::FIRST, |number| Shard::of(u64::from_be_bytes(*number)))
}
