//! Rows that may grow beyond what one row holds: kept whole while small, in parts when large.

use storage::{Batch, Key, ReadError, Record, RecordError, Store, Table};

/// The largest payload that is kept in the row itself, in bytes.
const WHOLE_LIMIT: usize = 60 * 1024;

/// A row of `T`, or that it lies in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunked<T> {
    Whole(T),
    /// The version of the value's record and how many parts its payload has.
    Parts(u8, u16),
}

/// Where the parts of a table's large rows lie: under the row's key and the part's number.
pub type Parts<K> = Table<(K, u16), Vec<u8>>;

impl<T: Record> Record for Chunked<T> {
    const VERSION: u8 = T::VERSION;

    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Whole(value) => {
                let mut bytes = vec![0];
                bytes.append(&mut value.encode());
                bytes
            }
            Self::Parts(version, count) => {
                let [high, low] = count.to_be_bytes();
                vec![1, *version, high, low]
            }
        }
    }

    fn decode(version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        match bytes {
            [0, payload @ ..] => T::decode(version, payload).map(Self::Whole),
            [1, version, high, low] => Ok(Self::Parts(*version, u16::from_be_bytes([*high, *low]))),
            _ => Err(RecordError::Payload("neither whole nor in parts".to_owned())),
        }
    }
}

pub fn put<K: Key, P: Key + Clone, T: Record + Clone>(
    batch: &mut Batch,
    table: Table<K, Chunked<T>>,
    key: &K,
    parts: Parts<P>,
    parts_key: &P,
    value: &T,
) {
    let payload = value.encode();
    if payload.len() <= WHOLE_LIMIT {
        batch.put(table, key, &Chunked::Whole(value.clone()));
        return;
    }
    let mut count = 0_u16;
    for part in payload.chunks(WHOLE_LIMIT) {
        batch.put(parts, &(parts_key.clone(), count), &part.to_vec());
        count += 1;
    }
    batch.put(table, key, &Chunked::Parts(T::VERSION, count));
}

/// Reads a row and, when it is large, its parts.
pub fn get<K: Key, P: Key + Clone, T: Record>(
    store: &Store,
    table: Table<K, Chunked<T>>,
    key: &K,
    parts: Parts<P>,
    parts_key: &P,
) -> Result<Option<T>, ReadError> {
    store.get(table, key)?.map(|row| join(store, row, parts, parts_key)).transpose()
}

/// Puts the parts of a row that was read together.
pub fn join<P: Key + Clone, T: Record>(
    store: &Store,
    row: Chunked<T>,
    parts: Parts<P>,
    parts_key: &P,
) -> Result<T, ReadError> {
    let (version, count) = match row {
        Chunked::Whole(value) => return Ok(value),
        Chunked::Parts(version, count) => (version, count),
    };
    let mut payload = Vec::new();
    for part in 0..count {
        let bytes = store.get(parts, &(parts_key.clone(), part))?;
        payload.extend(bytes.ok_or_else(|| ReadError::Failed("a part is missing".to_owned()))?);
    }
    T::decode(version, &payload).map_err(|error| ReadError::Failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use storage::testing::TempStore;

    use super::*;

    const ROWS: Table<u64, Chunked<String>> = Table::new(1, "rows");
    const ROW_PARTS: Parts<u64> = Table::new(2, "row parts");

    #[test]
    fn a_row_of_any_size_is_read_as_it_was_put() {
        let store = TempStore::new();
        for (key, length) in [(1, 0), (2, WHOLE_LIMIT), (3, WHOLE_LIMIT + 1), (4, 700_000)] {
            let text = "ä".repeat(length / 2);
            let mut batch = Batch::new();
            put(&mut batch, ROWS, &key, ROW_PARTS, &key, &text);
            store.write_blocking(batch).expect("durable");
            let read = get(&store, ROWS, &key, ROW_PARTS, &key).expect("readable");
            assert_eq!(read.as_deref(), Some(text.as_str()), "{length} bytes");
        }
    }
}
