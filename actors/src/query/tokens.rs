//! What tokens open.

use storage::{ReadError, Record, Shard, Table, View};

use crate::domain::token::TokenKey;

/// What a token opens: found in its shard, or in the first one, where it is that of a token from
/// before shards which looks as if it had one.
pub fn opened<H: TokenKey, V: Record>(
    rows: &View,
    table: Table<H, V>,
    hash: H,
) -> Result<Option<V>, ReadError> {
    match rows.get(table, &hash)? {
        None if hash.shard() != Some(Shard::FIRST) => rows.get(table, &hash.in_first_shard()),
        found => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use storage::Batch;
    use storage::testing::TempStore;

    use super::*;
    use crate::domain::ids::{PaymentLinkId, SellerId};
    use crate::domain::payments::payment_link::PaymentLinkHome;
    use crate::entropy::Entropy;
    use crate::link_tokens::LinkHash;
    use crate::tables::PAYMENT_LINK_PAGES;

    #[test]
    fn a_token_of_before_is_found_also_where_it_looks_as_if_it_had_a_shard() {
        let store = TempStore::new();
        let home = |link| PaymentLinkHome { seller: SellerId(7), link: PaymentLinkId(link) };
        let hash = |shard| LinkHash::of(&Entropy.token_in(Shard::of(shard)));
        let (ours, by_chance, unmarked) = (hash(7), hash(900), hash(0));
        let mut batch = Batch::new();
        batch.put(PAYMENT_LINK_PAGES, &ours, &home(1));
        batch.put(PAYMENT_LINK_PAGES, &by_chance.in_first_shard(), &home(2));
        batch.put(PAYMENT_LINK_PAGES, &unmarked, &home(3));
        store.write_blocking(batch).expect("durable");
        for (hash, link) in [(ours, 1), (by_chance, 2), (unmarked, 3)] {
            assert_eq!(opened(&store, PAYMENT_LINK_PAGES, hash), Ok(Some(home(link))));
        }
        for stranger in [hash(7), hash(0)] {
            assert_eq!(opened(&store, PAYMENT_LINK_PAGES, stranger), Ok(None));
        }
    }
}
