//! Rows that may grow beyond what one row holds: kept whole while small, in parts when large.

use std::marker::PhantomData;

use sha2::{Digest, Sha256};
use storage::{Batch, Key, ReadError, Record, RecordError, Store, Table};

/// The largest payload that is kept in the row itself, in bytes.
const WHOLE_LIMIT: usize = 60 * 1024;

/// How often a row is read again whose parts are written at the same time.
const ATTEMPTS: usize = 16;

/// A row of `T`, or that it lies in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chunked<T> {
    Whole(T),
    Parts(Head),
}

/// What is in the row of a value that lies in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// The version of the value's record.
    version: u8,
    parts: u16,
    /// Tells parts that belong together from those of two versions of the value.
    digest: [u8; 8],
}

/// Where the parts of a table's large rows lie: under the row's key and the part's number.
pub type Parts<K> = Table<(K, u16), Vec<u8>>;

impl<T: Record> Record for Chunked<T> {
    const VERSION: u8 = T::VERSION;

    fn encode(&self) -> Vec<u8> {
        match self {
            Self::Whole(value) => whole(value.encode()),
            Self::Parts(head) => head.encode(),
        }
    }

    fn decode(version: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        match bytes {
            [0, payload @ ..] => T::decode(version, payload).map(Self::Whole),
            [1, head @ ..] => Head::decode(head).map(Self::Parts),
            _ => Err(RecordError::Payload("neither whole nor in parts".to_owned())),
        }
    }
}

impl Head {
    fn of(version: u8, parts: u16, payload: &[u8]) -> Self {
        Self { version, parts, digest: digest(payload) }
    }

    fn encode(self) -> Vec<u8> {
        let mut bytes = vec![1, self.version];
        bytes.extend(self.parts.to_be_bytes());
        bytes.extend(self.digest);
        bytes
    }

    fn decode(bytes: &[u8]) -> Result<Self, RecordError> {
        let [version, high, low, digest @ ..] = bytes else {
            return Err(RecordError::Payload("a head that is cut".to_owned()));
        };
        let digest = digest.try_into();
        let digest = digest.map_err(|_| RecordError::Payload("a head that is cut".to_owned()))?;
        Ok(Self { version: *version, parts: u16::from_be_bytes([*high, *low]), digest })
    }
}

fn whole(mut payload: Vec<u8>) -> Vec<u8> {
    payload.insert(0, 0);
    payload
}

fn digest(payload: &[u8]) -> [u8; 8] {
    let whole: [u8; 32] = Sha256::digest(payload).into();
    let [a, b, c, d, e, f, g, h, ..] = whole;
    [a, b, c, d, e, f, g, h]
}

/// A row of `T` that was encoded already.
struct Encoded<T>(Vec<u8>, PhantomData<fn() -> T>);

impl<T: Record> Record for Encoded<T> {
    const VERSION: u8 = T::VERSION;

    fn encode(&self) -> Vec<u8> {
        self.0.clone()
    }

    fn decode(_: u8, bytes: &[u8]) -> Result<Self, RecordError> {
        Ok(Self(bytes.to_vec(), PhantomData))
    }
}

pub fn put<K: Key, P: Key + Clone, T: Record>(
    batch: &mut Batch,
    table: Table<K, Chunked<T>>,
    key: &K,
    parts: Parts<P>,
    parts_key: &P,
    value: &T,
) {
    let payload = value.encode();
    let row = if payload.len() <= WHOLE_LIMIT {
        whole(payload)
    } else {
        let mut count = 0_u16;
        for part in payload.chunks(WHOLE_LIMIT) {
            batch.put(parts, &(parts_key.clone(), count), &part.to_vec());
            count += 1;
        }
        Head::of(T::VERSION, count, &payload).encode()
    };
    let rows = Table::<K, Encoded<T>>::new(table.tag(), table.name());
    batch.put(rows, key, &Encoded(row, PhantomData));
}

/// Reads a row and, when it is large, its parts.
pub fn get<K: Key, P: Key + Clone, T: Record>(
    store: &Store,
    table: Table<K, Chunked<T>>,
    key: &K,
    parts: Parts<P>,
    parts_key: &P,
) -> Result<Option<T>, ReadError> {
    for _ in 0..ATTEMPTS {
        let head = match store.get(table, key)? {
            None => return Ok(None),
            Some(Chunked::Whole(value)) => return Ok(Some(value)),
            Some(Chunked::Parts(head)) => head,
        };
        let mut payload = Vec::new();
        for part in 0..head.parts {
            payload.extend(store.get(parts, &(parts_key.clone(), part))?.unwrap_or_default());
        }
        if digest(&payload) == head.digest {
            let value = T::decode(head.version, &payload);
            return value.map(Some).map_err(|error| ReadError::Failed(error.to_string()));
        }
    }
    Err(ReadError::Failed(format!("the parts of a row of {} do not fit", table.name())))
}

/// The value of a row that was read, and of its parts where it is large.
pub fn join<K: Key, P: Key + Clone, T: Record>(
    store: &Store,
    (key, row): (&K, Chunked<T>),
    table: Table<K, Chunked<T>>,
    parts: Parts<P>,
    parts_key: &P,
) -> Result<T, ReadError> {
    if let Chunked::Whole(value) = row {
        return Ok(value);
    }
    let found = get(store, table, key, parts, parts_key)?;
    found.ok_or_else(|| ReadError::Failed(format!("a row of {} is gone", table.name())))
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

    #[test]
    fn a_large_row_is_read_as_one_version_while_it_is_written() {
        let store = TempStore::new();
        let write = |n: u8| {
            let mut batch = Batch::new();
            let text = char::from(b'a' + n % 26).to_string().repeat(200_000);
            put(&mut batch, ROWS, &1, ROW_PARTS, &1, &text);
            store.write_blocking(batch).expect("durable");
        };
        write(0);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| (1..60).for_each(write));
            while !writer.is_finished() {
                let read = get(&store, ROWS, &1, ROW_PARTS, &1).expect("readable").expect("there");
                assert!(read.bytes().all(|byte| byte == read.as_bytes()[0]), "torn");
            }
        });
    }
}
