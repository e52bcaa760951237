//! What lists cost among ten thousand that they leave out: pages read what they show, whichever
//! filter it is and however deep the page, and add up to exactly what a filter lets through.

mod export;
mod invoices;
mod letters;
mod payouts;
mod search;
mod versions;

use storage::testing::TempStore;
use storage::{Batch, ReadError};

use super::{Page, Paging};
use crate::domain::ids::SellerId;

const SELLER: SellerId = SellerId(7);

/// Rows that a page of this many items may read, each of them with the places it was found at.
const LIMIT: usize = 10;
const MOST_READ: u64 = 400;

/// A store in which `put` has put each of these, some thousands in a batch.
fn stored<T>(all: &[T], put: impl Fn(&mut Batch, &T)) -> TempStore {
    let house = TempStore::new();
    for part in all.chunks(1_000) {
        let mut batch = Batch::new();
        part.iter().for_each(|one| put(&mut batch, one));
        house.store().write_blocking(batch).expect("durable");
    }
    house
}

/// All items of a list, page by page; how many pages were short of their limit though more was
/// behind them; and the rows that the dearest page read.
fn paged<T>(
    house: &TempStore,
    list: impl Fn(Paging) -> Result<Page<T>, ReadError>,
) -> (Vec<T>, usize, u64) {
    let (mut items, mut cursor, mut short, mut most) = (Vec::new(), None, 0, 0);
    loop {
        let before = house.store().stats().rows_read;
        let page = list(Paging { limit: LIMIT, cursor }).expect("readable");
        most = most.max(house.store().stats().rows_read - before);
        short += usize::from(page.items.len() < LIMIT && page.next.is_some());
        items.extend(page.items);
        let Some(next) = page.next else { return (items, short, most) };
        assert!(cursor.is_none_or(|cursor| next < cursor), "{next} behind {cursor:?}");
        cursor = Some(next);
    }
}
