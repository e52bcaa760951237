//! Pages of lists, bounded in what they show, in bytes, and in what they pass over.

use std::collections::VecDeque;

use storage::{Key, ReadError, Reads, Record, Scan, Table, View};

use crate::domain::ids::Id;

/// A page ends before it passes this many bytes of rows, however few items it has by then.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// A page passes over so many rows at most. It may end short of its limit, with more behind it.
pub(super) const PAGE_ROWS: usize = 1_000;

/// Rows that are read together where a list leads to them: fewer than would fill a page's bytes.
const TOGETHER: usize = 32;

/// One page of a list, in the order of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// The id behind which the next page goes on; absent on the last page.
    pub next: Option<u64>,
}

/// Which page: how many items at most, and the id behind which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paging {
    /// At least 1.
    pub limit: usize,
    /// The last id of the page before; absent for the first page.
    pub cursor: Option<u64>,
}

/// A key that ends with the id of what it leads to.
pub(super) trait EndsWithId: Key {
    /// The parts before the id.
    type Prefix: Key + Clone;

    fn new(prefix: Self::Prefix, id: u64) -> Self;

    fn id(&self) -> u64;
}

impl<A: Key + Clone, I: Id> EndsWithId for (A, I) {
    type Prefix = (A,);

    fn new((a,): (A,), id: u64) -> Self {
        (a, I::of(id))
    }

    fn id(&self) -> u64 {
        self.1.number()
    }
}

impl<A: Key + Clone, B: Key + Clone, I: Id> EndsWithId for (A, B, I) {
    type Prefix = (A, B);

    fn new((a, b): (A, B), id: u64) -> Self {
        (a, b, I::of(id))
    }

    fn id(&self) -> u64 {
        self.2.number()
    }
}

impl<A: Key + Clone, B: Key + Clone, C: Key + Clone, I: Id> EndsWithId for (A, B, C, I) {
    type Prefix = (A, B, C);

    fn new((a, b, c): (A, B, C), id: u64) -> Self {
        (a, b, c, I::of(id))
    }

    fn id(&self) -> u64 {
        self.3.number()
    }
}

/// A row on the way to its page.
pub(super) enum Seen<R> {
    Row(u64, R),
    /// So much was read that the page ends here: all ids from this one on are done with.
    Enough(u64),
}

/// A key that a list has named, and its row where it is there.
type Named<K, V> = (K, Option<V>);

/// The rows that those of a list lead to, read some at a time.
struct Following<'s, L, K, V> {
    store: &'s View,
    table: Table<K, V>,
    list: L,
    together: usize,
    read: VecDeque<Result<Seen<Named<K, V>>, ReadError>>,
}

impl<L, K: Key, V: Record> Following<'_, L, K, V>
where
    L: Iterator<Item = Result<Seen<K>, ReadError>>,
{
    fn read_some(&mut self) -> Result<(), ReadError> {
        let (mut reads, mut asked) = (Reads::new(), Vec::new());
        let mut last = None;
        while asked.len() < self.together && last.is_none() {
            match self.list.next() {
                Some(Ok(Seen::Row(id, key))) => {
                    let row = reads.get(self.table, &key);
                    asked.push((id, key, row));
                }
                Some(Ok(Seen::Enough(id))) => last = Some(Ok(Seen::Enough(id))),
                Some(Err(error)) => last = Some(Err(error)),
                None => break,
            }
        }
        let mut found = self.store.read(&reads)?;
        for (id, key, row) in asked {
            self.read.push_back(found.take(row).map(|row| Seen::Row(id, (key, row))));
        }
        self.read.extend(last);
        Ok(())
    }
}

impl<L, K: Key, V: Record> Iterator for Following<'_, L, K, V>
where
    L: Iterator<Item = Result<Seen<K>, ReadError>>,
{
    type Item = Result<Seen<Named<K, V>>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.read.is_empty()
            && let Err(error) = self.read_some()
        {
            return Some(Err(error));
        }
        self.read.pop_front()
    }
}

/// An item with the bytes that it takes on its page.
pub(super) type Sized<T> = (T, usize);

pub(super) fn sized<T: Record>(item: T) -> Sized<T> {
    let bytes = item.encode().len();
    (item, bytes)
}

impl<T> Page<T> {
    pub(super) fn empty() -> Self {
        Self { items: Vec::new(), next: None }
    }
}

impl Paging {
    /// A page of the rows under `prefix`, newest first.
    pub(super) fn page<K: EndsWithId, V: Record>(
        self,
        store: &View,
        table: Table<K, V>,
        prefix: K::Prefix,
    ) -> Result<Page<V>, ReadError> {
        self.fill(self.newest(store, table, prefix), |_, row| Ok(Some(sized(row))))
    }

    /// A page of items that are in memory, newest first, each with its id.
    pub fn of<T>(self, newest: impl Iterator<Item = (u64, T)>) -> Page<T> {
        let behind = |id| self.cursor.is_none_or(|cursor| id < cursor);
        let mut items = newest.filter(|(id, _)| behind(*id)).peekable();
        let mut page = Page { items: Vec::new(), next: None };
        while let Some((id, item)) = items.next() {
            page.items.push(item);
            if page.items.len() == self.limit {
                page.next = items.peek().map(|_| id);
                break;
            }
        }
        page
    }

    /// The rows under `prefix` behind the cursor, newest first, for a page.
    pub(super) fn newest<K: EndsWithId, V: Record>(
        self,
        store: &View,
        table: Table<K, V>,
        prefix: K::Prefix,
    ) -> impl Iterator<Item = Result<Seen<V>, ReadError>> + use<K, V> {
        self.rows(store, table, prefix).map(|row| row.map(|(id, row)| Seen::Row(id, row)))
    }

    /// The same rows, each with its id.
    pub(super) fn rows<K: EndsWithId, V: Record>(
        self,
        store: &View,
        table: Table<K, V>,
        prefix: K::Prefix,
    ) -> impl Iterator<Item = Result<(u64, V), ReadError>> + use<K, V> {
        let mut scan = Scan::prefix(&prefix).reverse();
        if let Some(cursor) = self.cursor {
            scan = scan.after(&K::new(prefix, cursor));
        }
        store.scan(table, scan).map(|row| row.map(|(key, row)| (key.id(), row)))
    }

    /// Fills a page with the rows of `table` that those of a list lead to, by the key that `key` makes
    /// of each. They are read some at a time. One that is gone is passed over, and so is one of
    /// which `show` makes nothing.
    pub(super) fn follow<R, K: Key, V: Record, T>(
        self,
        store: &View,
        table: Table<K, V>,
        list: impl Iterator<Item = Result<Seen<R>, ReadError>>,
        key: impl Fn(u64, R) -> K,
        mut show: impl FnMut(&K, V) -> Result<Option<Sized<T>>, ReadError>,
    ) -> Result<Page<T>, ReadError> {
        // With the one behind the page, which tells that there is more.
        let together = (self.limit + 1).min(TOGETHER);
        let list = list.map(|seen| match seen? {
            Seen::Row(id, row) => Ok(Seen::Row(id, key(id, row))),
            Seen::Enough(id) => Ok(Seen::Enough(id)),
        });
        let rows = Following { store, table, list, together, read: VecDeque::new() };
        self.fill(rows, |_, (key, row)| match row {
            Some(row) => show(&key, row),
            None => Ok(None),
        })
    }

    /// Fills a page from `rows`. `load` makes the item of a row that is shown; a row that makes
    /// none is passed over.
    pub(super) fn fill<R, T>(
        self,
        rows: impl Iterator<Item = Result<Seen<R>, ReadError>>,
        mut load: impl FnMut(u64, R) -> Result<Option<Sized<T>>, ReadError>,
    ) -> Result<Page<T>, ReadError> {
        let mut items = Vec::with_capacity(self.limit);
        let (mut bytes, mut passed, mut last) = (0, 0, None);
        for row in rows {
            let (id, row) = match row? {
                Seen::Row(id, row) => (id, row),
                Seen::Enough(id) => return Ok(Page { items, next: Some(id) }),
            };
            if items.len() == self.limit || passed == PAGE_ROWS {
                return Ok(Page { items, next: last });
            }
            match load(id, row)? {
                None => passed += 1,
                Some((_, size)) if bytes + size > PAGE_BYTES && !items.is_empty() => {
                    return Ok(Page { items, next: last });
                }
                Some((item, size)) => {
                    bytes += size;
                    items.push(item);
                }
            }
            last = Some(id);
        }
        Ok(Page { items, next: None })
    }
}

#[cfg(test)]
mod tests {
    use storage::testing::TempStore;
    use storage::{Batch, CborRecord};

    use super::*;

    const TEXTS: Table<u64, Text> = Table::new(1, "texts");

    #[derive(minicbor::Encode, minicbor::Decode)]
    struct Text(#[n(0)] String);

    impl CborRecord for Text {}

    fn rows(ids: std::ops::Range<u64>) -> impl Iterator<Item = Result<Seen<()>, ReadError>> {
        ids.rev().map(|id| Ok(Seen::Row(id, ())))
    }

    fn filled(limit: usize, size: usize, shown: fn(u64) -> bool) -> (Vec<u64>, Option<u64>) {
        let paging = Paging { limit, cursor: None };
        let page = paging.fill(rows(1..5_001), |id, ()| Ok(shown(id).then_some((id, size))));
        let page = page.expect("a page");
        (page.items, page.next)
    }

    #[test]
    fn a_page_ends_at_its_limit_its_bytes_or_what_it_read() {
        assert_eq!(filled(3, 1, |_| true), (vec![5_000, 4_999, 4_998], Some(4_998)));
        let (items, next) = filled(100, PAGE_BYTES / 4, |_| true);
        assert_eq!((items.len(), next), (4, Some(4_997)));
        // One item that is larger than a page is a page.
        assert_eq!(filled(100, PAGE_BYTES + 1, |_| true), (vec![5_000], Some(5_000)));
        assert_eq!(filled(100, 1, |id| id == 1), (vec![], Some(4_001)));
        let some = filled(100, 1, |id| id % 500 == 0);
        assert_eq!(some, (vec![5_000, 4_500, 4_000], Some(3_998)));
    }

    /// The ids on a page of what a list of ids leads to, with how many requests that took.
    fn followed(store: &TempStore, limit: usize, list: Vec<Seen<()>>) -> (Page<u64>, u64) {
        let (before, paging) = (store.stats().reads, Paging { limit, cursor: None });
        let list = list.into_iter().map(Ok);
        let page = paging.follow(
            store.store(),
            TEXTS,
            list,
            |id, ()| id,
            |id, text| Ok((text.0 != "hidden").then_some((*id, 1))),
        );
        (page.expect("a page"), store.stats().reads - before)
    }

    #[test]
    fn what_a_list_leads_to_is_read_some_at_a_time_in_its_order() {
        let store = TempStore::new();
        let mut batch = Batch::new();
        for id in (1..=200).filter(|id| id % 10 != 0) {
            let text = if id % 7 == 0 { "hidden" } else { "shown" };
            batch.put(TEXTS, &id, &Text(text.to_owned()));
        }
        store.write_blocking(batch).expect("durable");
        let newest = || (1..=200).rev().map(|id| Seen::Row(id, ())).collect::<Vec<_>>();
        let shown: Vec<u64> = (1..=200).rev().filter(|id| id % 10 != 0 && id % 7 != 0).collect();
        let (page, requests) = followed(&store, 5, newest());
        assert_eq!((page.items, page.next, requests), (shown[..5].to_vec(), Some(194), 2));
        let (page, requests) = followed(&store, 100, newest());
        assert_eq!((page.items, page.next.is_some(), requests), (shown[..100].to_vec(), true, 5));
        let (page, _) = followed(&store, 500, newest());
        assert_eq!((page.items, page.next), (shown.clone(), None));
        let mut ends = newest();
        ends.truncate(8);
        ends.push(Seen::Enough(150));
        let (page, requests) = followed(&store, 100, ends);
        assert_eq!((page.items, page.next, requests), (shown[..6].to_vec(), Some(150), 1));
    }
}
