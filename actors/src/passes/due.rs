//! What is due, page by page: a page of one seller after that of another, so that nobody's backlog
//! keeps the others waiting, and never all of it in memory.

use std::collections::VecDeque;

use futures::Stream;
use futures::stream;
use storage::{ReadError, Scan, Store};

use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;
use crate::queue::{BEAT, read_blocking};
use crate::tables::TIMERS;
use crate::timers::{Calendar, Due, Listed, TimerKind, due_of};

/// How many timers of a seller are read at once.
const PAGE: usize = 64;

/// The sellers of a pass that have timers due.
#[derive(Default)]
pub(super) struct DueOf {
    sellers: Vec<Seller>,
}

#[derive(Clone, Copy)]
struct Seller {
    of: (TimerKind, SellerId),
    until: Timestamp,
    listed: Listed,
}

/// A seller's turn, and what was read before.
struct Turn {
    seller: Seller,
    after: Option<Due>,
}

impl DueOf {
    pub(super) fn add(&mut self, of: (TimerKind, SellerId), until: Timestamp, listed: Listed) {
        self.sellers.push(Seller { of, until, listed });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sellers.is_empty()
    }

    /// Every timer that is due now, once.
    pub(super) fn timers(
        &self,
        store: &Store,
    ) -> impl Stream<Item = Result<(TimerKind, Due), ReadError>> {
        let turn = |seller: &Seller| Turn { seller: *seller, after: None };
        let turns: VecDeque<Turn> = self.sellers.iter().map(turn).collect();
        let store = store.clone();
        let pages = stream::try_unfold(turns, move |mut turns| {
            let store = store.clone();
            async move {
                let Some(Turn { seller, after }) = turns.pop_front() else {
                    return Ok::<_, ReadError>(None);
                };
                let Seller { of, until, .. } = seller;
                // Nothing new is begun while the disk is nearly full, or the store held.
                while store.rests() {
                    tokio::time::sleep(BEAT).await;
                }
                let page = read_blocking(move || due_of(&store, of, until, after, PAGE)).await?;
                if page.goes_on {
                    turns.push_back(Turn { seller, after: page.due.last().copied() });
                }
                let due: Vec<_> = page.due.into_iter().map(|due| Ok((of.0, due))).collect();
                Ok(Some((stream::iter(due), turns)))
            }
        });
        futures::TryStreamExt::try_flatten(pages)
    }

    /// Notes when each seller is due next, as the disk has it after the pass. What is left is due
    /// for the next run.
    pub(super) fn settle(self, store: &Store, calendar: &Calendar) -> Result<(), ReadError> {
        for Seller { of: (kind, seller), listed, .. } in self.sellers {
            let mut timers = store.scan(TIMERS, Scan::prefix(&(kind as u8, seller))).keys();
            let next = timers.next().transpose()?.map(|(_, _, at, _)| at);
            calendar.settle(kind, seller, listed, next);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt;
    use storage::Batch;
    use storage::testing::TempStore;

    use super::*;

    #[tokio::test]
    async fn sellers_take_turns_and_each_timer_comes_once() {
        const KIND: TimerKind = TimerKind::Recurring;
        let at = |micros| Timestamp::from_micros(micros);
        let (store, calendar) = (TempStore::new(), Calendar::default());
        let mut batch = Batch::new();
        for object in 0..150 {
            batch.put(TIMERS, &(KIND as u8, SellerId(1), at(5), object), &());
        }
        for object in 0..3 {
            batch.put(TIMERS, &(KIND as u8, SellerId(2), at(7), object), &());
        }
        batch.put(TIMERS, &(KIND as u8, SellerId(2), at(99), 9), &());
        store.write_blocking(batch).expect("durable");
        let mut due = DueOf::default();
        for (seller, listed) in calendar.due(&store, KIND, at(10)).expect("readable") {
            due.add((KIND, seller), at(10), listed);
        }
        let found: Vec<_> = due.timers(&store).try_collect().await.expect("readable");
        let sellers: Vec<u64> = found.iter().map(|(_, due)| due.seller.0).collect();
        let turns = [vec![1; PAGE], vec![2; 3], vec![1; 150 - PAGE]].concat();
        assert_eq!(sellers, turns);
        let of_first = found.iter().filter(|(_, due)| due.seller == SellerId(1));
        let objects: Vec<u64> = of_first.map(|(_, due)| due.object).collect();
        assert_eq!(objects, (0..150).collect::<Vec<_>>());

        let mut batch = Batch::new();
        for object in 0..3 {
            batch.delete(TIMERS, &(KIND as u8, SellerId(2), at(7), object));
        }
        store.write_blocking(batch).expect("durable");
        due.settle(&store, &calendar).expect("readable");
        let left = calendar.due(&store, KIND, at(10)).expect("readable");
        assert_eq!(left.into_iter().map(|(seller, _)| seller.0).collect::<Vec<_>>(), [1]);
    }
}
