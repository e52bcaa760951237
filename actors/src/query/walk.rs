//! Ids that several lists have in common, found without reading what they have not.
//!
//! Every list has its ids in falling order. Whichever stands lowest says how far the others can
//! leap; where they are near they step, where they are far they are opened anew.

use storage::{ReadError, Record, Scan, Table, View};

use super::page::{EndsWithId, PAGE_ROWS, Seen};
use crate::domain::ids::SellerId;
use crate::listing::Place;
use crate::tables::PLACES;

/// Steps after which a list is opened anew, nearer to where it has to be.
const STEPS: usize = 16;

/// What opening a list counts as, in rows.
const OPENING: usize = 4;

type Rows<'a> = Box<dyn Iterator<Item = Result<u64, ReadError>> + 'a>;

/// The ids of rows that are one of several things, in falling order.
pub(super) struct Ids<'a> {
    lists: Vec<List<'a>>,
}

struct List<'a> {
    /// The ids below one.
    open: Box<dyn Fn(u64) -> Rows<'a> + 'a>,
    rows: Option<Rows<'a>>,
    head: Option<u64>,
}

impl<'a> Ids<'a> {
    /// The ids of the rows under any of these prefixes.
    pub(super) fn under<K: EndsWithId + 'a, V: Record + 'a>(
        store: &'a View,
        table: Table<K, V>,
        prefixes: impl IntoIterator<Item = K::Prefix>,
    ) -> Self
    where
        K::Prefix: 'a,
    {
        let list = |prefix: K::Prefix| List {
            open: Box::new(move |below| {
                let behind = K::new(prefix.clone(), below);
                let scan = Scan::prefix(&prefix).reverse().after(&behind).first();
                Box::new(store.scan(table, scan).map(|row| row.map(|(key, _)| key.id())))
            }),
            rows: None,
            head: None,
        };
        Self { lists: prefixes.into_iter().map(list).collect() }
    }

    /// The ids that are listed at any of these places.
    pub(super) fn at(
        store: &'a View,
        seller: SellerId,
        places: impl IntoIterator<Item = Place>,
    ) -> Self {
        let places = places.into_iter().map(|(facet, value)| (seller, facet as u8, value));
        Self::under(store, PLACES, places)
    }

    /// The highest id that is not above `id`.
    fn at_most(&mut self, id: u64, read: &mut usize) -> Result<Option<u64>, ReadError> {
        let mut highest = None;
        for list in &mut self.lists {
            highest = highest.max(list.at_most(id, read)?);
        }
        Ok(highest)
    }
}

impl List<'_> {
    fn at_most(&mut self, id: u64, read: &mut usize) -> Result<Option<u64>, ReadError> {
        let mut steps = 0;
        while self.rows.is_none() || self.head.is_some_and(|head| head > id) {
            if self.rows.is_none() || steps == STEPS {
                *read += OPENING;
                steps = 0;
                self.rows = Some((self.open)(id.saturating_add(1)));
            }
            steps += 1;
            *read += 1;
            self.head = self.rows.as_mut().and_then(Iterator::next).transpose()?;
        }
        Ok(self.head)
    }
}

/// The ids below `below` and not below `floor` that all of `lists`, at least one, have in common,
/// newest first, for one page.
pub(super) fn common<'a>(
    mut lists: Vec<Ids<'a>>,
    below: u64,
    floor: u64,
) -> impl Iterator<Item = Result<Seen<()>, ReadError>> + 'a {
    let mut next = below.checked_sub(1);
    let mut read = 0;
    std::iter::from_fn(move || {
        let mut id = next?;
        loop {
            let from = id;
            for list in &mut lists {
                match list.at_most(id, &mut read) {
                    Ok(Some(found)) if found >= floor => id = found,
                    Ok(_) => {
                        next = None;
                        return None;
                    }
                    Err(error) => {
                        next = None;
                        return Some(Err(error));
                    }
                }
            }
            if id == from {
                next = id.checked_sub(1);
                return Some(Ok(Seen::Row(id, ())));
            }
            // All above this one are done with. A page that got nowhere goes on all the same.
            if read > PAGE_ROWS && id + 1 < below {
                next = None;
                return Some(Ok(Seen::Enough(id + 1)));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use storage::Batch;
    use storage::testing::TempStore;

    use super::*;

    const ROWS: Table<(u64, u64), ()> = Table::new(1, "rows");

    /// A store with lists of ids, by the number of the list.
    fn stored(lists: &[&dyn Fn(u64) -> bool], most: u64) -> TempStore {
        let house = TempStore::new();
        let mut batch = Batch::new();
        for (number, has) in (0_u64..).zip(lists) {
            for id in (1..=most).filter(|id| has(*id)) {
                batch.put(ROWS, &(number, id), &());
            }
            house.store().write_blocking(std::mem::take(&mut batch)).expect("written");
        }
        house
    }

    /// The ids that the lists have in common, and how many pages it took to read all.
    fn walked(house: &TempStore, sets: &[&[u64]], floor: u64) -> (Vec<u64>, usize) {
        let (mut found, mut below, mut pages) = (Vec::new(), 1 << 53, 0);
        loop {
            pages += 1;
            let ids =
                |set: &&[u64]| Ids::under(house.store(), ROWS, set.iter().map(|number| (*number,)));
            let lists = sets.iter().map(ids).collect();
            let mut enough = None;
            for seen in common(lists, below, floor) {
                match seen.expect("read") {
                    Seen::Row(id, ()) => found.push(id),
                    Seen::Enough(id) => enough = Some(id),
                }
            }
            let Some(next) = enough else { return (found, pages) };
            assert!(next < below, "no page stands still");
            below = next;
        }
    }

    #[test]
    fn lists_are_joined_and_met() {
        let house = stored(&[&|id| id % 2 == 0, &|id| id % 3 == 0, &|id| id % 5 == 0], 3_000);
        let expected = |keep: fn(u64) -> bool| -> Vec<u64> {
            (1..=3_000).rev().filter(|id| keep(*id)).collect()
        };
        let all = |sets: &[&[u64]]| walked(&house, sets, 0).0;
        assert_eq!(all(&[&[0], &[1]]), expected(|id| id % 6 == 0));
        assert_eq!(
            all(&[&[0, 1], &[2]]),
            expected(|id| id % 5 == 0 && (id % 2 == 0 || id % 3 == 0))
        );
        assert_eq!(all(&[&[0], &[1], &[2]]), expected(|id| id % 30 == 0));
        assert_eq!(all(&[&[0], &[9]]), Vec::<u64>::new());
        assert_eq!(walked(&house, &[&[0], &[1]], 2_990).0, [3_000, 2_994]);
    }

    #[test]
    fn what_one_list_leaves_out_is_leapt_over() {
        let house = stored(&[&|_| true, &|id| id % 4_000 == 1], 10_000);
        assert_eq!(walked(&house, &[&[0], &[1]], 0), (vec![8_001, 4_001, 1], 1));
    }

    #[test]
    fn lists_that_never_meet_take_many_pages_and_stand_still_on_none() {
        let house = stored(&[&|id| id % 2 == 0, &|id| id % 2 == 1], 5_000);
        let (found, pages) = walked(&house, &[&[0], &[1]], 0);
        assert!(found.is_empty());
        assert!((3..20).contains(&pages), "{pages}");
    }
}
