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

#[cfg(test)]
mod tests {
    use storage::testing::TempStore;
    use storage::{Batch, Options};

    use super::*;
    use crate::contract::CONTRACT_ORDER;
    use crate::domain::billing::numbering::NumberSeries;
    use crate::domain::ids::{CustomerId, PayeeId, SellerId};
    use crate::domain::platform::event::EventSequence;
    use crate::domain::time::{Date, Timestamp};
    use crate::seller::AGREEMENTS;
    use crate::tables::{CUSTOMER_EMAILS, MINTS};

    const SELLER: SellerId = SellerId(20_007);

    #[test]
    fn rows_and_sequences_come_to_where_they_are_written_now() {
        let mut store = TempStore::with(Options { shard_of: Some(shard_of), ..Options::default() });
        let day = Date::parse("2026-11-24").expect("a day");
        let mut batch = Batch::new();
        batch.put(CUSTOMER_EMAILS, &(SELLER, "a@example.com".to_owned()), &CustomerId(1));
        batch.put(TIMERS, &(7, SELLER, Timestamp::from_micros(1), 9), &());
        batch.put(PAYEE_HOMES, &PayeeId(1_030), &SELLER);
        batch.put(MINTS, &(Timestamp::from_micros(1), SELLER), &"::1".to_owned());
        batch.draw(&EventSequence(SELLER));
        batch.draw(&NumberSeries::of(1, day).sequence(SELLER));
        batch.draw(&(CONTRACT_ORDER.to_owned(), SELLER));
        batch.draw(&("contracts".to_owned(),));
        batch.draw(&AGREEMENTS.to_owned());
        store.write_blocking(batch).expect("durable");
        let all = |store: &TempStore| {
            // But for the row that shuts older programs out.
            let rows = store.export().flatten().filter(|row| row.tag() != 0xFFEF);
            rows.collect::<Vec<_>>()
        };
        let before = all(&store);
        store.lay_out_as_before(usize::MAX);
        assert!(all(&store).iter().all(|row| row.shard().is_none()));
        store.reopen();
        assert_eq!(all(&store), before);
    }
}
