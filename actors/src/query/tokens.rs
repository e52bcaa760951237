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
