//! Rows that may grow beyond what one row holds: kept whole while small, in parts when large.

use std::marker::PhantomData;

use storage::{Batch, Found, Key, ReadError, Reads, Record, RecordError, Table, View, Wanted};

/// The largest payload that is kept in the row itself, in bytes.
const WHOLE_LIMIT: usize = 60 * 1024;

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
    /// The numbers of the parts.
    pub fn numbers(self) -> std::ops::Range<u16> {
        0..self.parts
    }

    /// The value that lies in these parts.
    pub fn join<T: Record, E>(
        self,
        part: impl FnMut(u16) -> Result<Vec<u8>, E>,
    ) -> Result<Result<T, RecordError>, E> {
        let parts = self.numbers().map(part).collect::<Result<Vec<_>, E>>()?;
        Ok(T::decode(self.version, &parts.concat()))
    }

    fn encode(self) -> Vec<u8> {
        let [high, low] = self.parts.to_be_bytes();
        vec![1, self.version, high, low]
    }

    fn decode(bytes: &[u8]) -> Result<Self, RecordError> {
        let [version, high, low] = *bytes else {
            return Err(RecordError::Payload("a head that is cut".to_owned()));
        };
        Ok(Self { version, parts: u16::from_be_bytes([high, low]) })
    }
}

fn whole(mut payload: Vec<u8>) -> Vec<u8> {
    payload.insert(0, 0);
    payload
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
        Head { version: T::VERSION, parts: count }.encode()
    };
    let rows = Table::<K, Encoded<T>>::new(table.tag(), table.name());
    batch.put(rows, key, &Encoded(row, PhantomData));
}

/// Reads a row and, when it is large, its parts.
pub fn get<K: Key, P: Key + Clone, T: Record>(
    store: &View,
    table: Table<K, Chunked<T>>,
    key: &K,
    parts: Parts<P>,
    parts_key: &P,
) -> Result<Option<T>, ReadError> {
    match store.get(table, key)? {
        None => return Ok(None),
        Some(Chunked::Whole(value)) => return Ok(Some(value)),
        Some(Chunked::Parts(_)) => {}
    }
    // Head and parts of one moment, whoever writes them meanwhile.
    store.at_one_moment(|rows| {
        let Some(row) = rows.get(table, key)? else { return Ok(None) };
        let mut reads = Reads::new();
        let asked = row.ask(&mut reads, table, parts, parts_key);
        asked.take(&mut rows.read(&reads)?).map(Some)
    })
}

/// A value whose row was read; its parts, where it is large, are asked for with another request, as
/// of the same moment.
pub enum Asked<T> {
    Whole(T),
    Parts { head: Head, parts: Wanted<Vec<Vec<u8>>>, row: Row },
}

/// Which parts are asked for, for whoever is told that they cannot be read.
pub struct Row {
    table: &'static str,
    key: String,
}

impl Row {
    /// It alone cannot be read.
    fn unreadable(self, detail: String) -> ReadError {
        ReadError::Record { table: self.table, key: self.key, detail }
    }
}

impl<T: Record> Chunked<T> {
    pub fn ask<K: Key, P: Key + Clone>(
        self,
        reads: &mut Reads,
        table: Table<K, Self>,
        parts: Parts<P>,
        parts_key: &P,
    ) -> Asked<T> {
        match self {
            Self::Whole(value) => Asked::Whole(value),
            Self::Parts(head) => {
                let keys = head.numbers().map(|part| (parts_key.clone(), part));
                let wanted = reads.get_many(parts, keys);
                let row = Row { table: table.name(), key: parts.key_text(&(parts_key.clone(), 0)) };
                Asked::Parts { head, parts: wanted, row }
            }
        }
    }
}

impl<T: Record> Asked<T> {
    pub fn take(self, found: &mut Found) -> Result<T, ReadError> {
        let (head, parts, row) = match self {
            Self::Whole(value) => return Ok(value),
            Self::Parts { head, parts, row } => (head, found.take(parts)?, row),
        };
        if parts.len() != usize::from(head.parts) {
            return Err(row.unreadable("a part of it is gone".to_owned()));
        }
        let value = T::decode(head.version, &parts.concat());
        value.map_err(|error| row.unreadable(error.to_string()))
    }
}

/// The value of a row that was read, and of its parts where it is large.
pub fn join<K: Key, P: Key + Clone, T: Record>(
    store: &View,
    (key, row): (&K, Chunked<T>),
    table: Table<K, Chunked<T>>,
    parts: Parts<P>,
    parts_key: &P,
) -> Result<T, ReadError> {
    if let Chunked::Whole(value) = row {
        return Ok(value);
    }
    let found = get(store, table, key, parts, parts_key)?;
    found.ok_or_else(|| {
        let row = Row { table: table.name(), key: table.key_text(key) };
        row.unreadable("it is gone".to_owned())
    })
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
    fn a_large_row_without_a_part_concerns_no_other() {
        let store = TempStore::new();
        let mut batch = Batch::new();
        put(&mut batch, ROWS, &1, ROW_PARTS, &1, &"x".repeat(200_000));
        store.write_blocking(batch).expect("durable");
        let mut batch = Batch::new();
        batch.delete(ROW_PARTS, &(1, 2));
        store.write_blocking(batch).expect("durable");
        let error = get(&store, ROWS, &1, ROW_PARTS, &1).expect_err("a part is gone");
        assert!(!error.concerns_all(), "{error}");
        assert!(matches!(error, ReadError::Record { table: "rows", .. }), "{error:?}");
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
