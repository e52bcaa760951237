//! When each seller's soonest timer of a kind is due. So a seller without anything due, or whose
//! pass is off, costs no read.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use storage::{ReadError, Scan, Store};

use super::TimerKind;
use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;
use crate::tables::TIMERS;

/// Clones are the same calendar.
#[derive(Clone, Default)]
pub struct Calendar {
    kinds: Arc<RwLock<HashMap<TimerKind, Arc<Mutex<Kind>>>>>,
}

#[derive(Default)]
struct Kind {
    /// Whether the sellers have been read that an earlier process left.
    is_read: bool,
    /// How often a timer was noted, of whichever seller: a seller that was settled and is noted
    /// anew is told from how it stood before.
    notes: u64,
    sellers: HashMap<SellerId, Soonest>,
    order: BTreeSet<(Timestamp, SellerId)>,
}

#[derive(Clone, Copy)]
struct Soonest {
    /// No timer is due before.
    at: Timestamp,
    /// The last note of it.
    noted: u64,
}

/// How a seller stood when it was listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    noted: u64,
}

impl Calendar {
    /// Notes a timer whose row is durable.
    pub fn note(&self, kind: TimerKind, seller: SellerId, at: Timestamp) {
        self.kind(kind).lock().note(seller, at);
    }

    /// The sellers that may have a timer of this kind due, the longest due first. May wait for the
    /// disk.
    pub fn due(
        &self,
        store: &Store,
        kind: TimerKind,
        now: Timestamp,
    ) -> Result<Vec<(SellerId, Listed)>, ReadError> {
        let known = self.kind(kind);
        if !known.lock().is_read {
            // Noted beside what comes meanwhile; the soonest counts.
            for (seller, at) in sellers(store, kind)? {
                known.lock().note(seller, at);
            }
            known.lock().is_read = true;
        }
        let known = known.lock();
        let due = known.order.iter().take_while(|(at, _)| *at <= now);
        let listed = due
            .filter_map(|(_, seller)| known.sellers.get(seller).map(|soonest| (*seller, soonest)));
        Ok(listed.map(|(seller, soonest)| (seller, Listed { noted: soonest.noted })).collect())
    }

    /// Says when a seller's next timer is due, as the disk had it after the seller was `listed`.
    /// What was noted since then counts in its place.
    pub fn settle(
        &self,
        kind: TimerKind,
        seller: SellerId,
        listed: Listed,
        next: Option<Timestamp>,
    ) {
        self.kind(kind).lock().settle(seller, listed, next);
    }

    fn kind(&self, kind: TimerKind) -> Arc<Mutex<Kind>> {
        if let Some(known) = self.kinds.read().get(&kind) {
            return Arc::clone(known);
        }
        Arc::clone(self.kinds.write().entry(kind).or_default())
    }
}

impl Kind {
    fn note(&mut self, seller: SellerId, at: Timestamp) {
        self.notes += 1;
        let soonest = self.sellers.entry(seller).or_insert_with(|| {
            self.order.insert((at, seller));
            Soonest { at, noted: 0 }
        });
        soonest.noted = self.notes;
        if at < soonest.at {
            self.order.remove(&(soonest.at, seller));
            self.order.insert((at, seller));
            soonest.at = at;
        }
    }

    fn settle(&mut self, seller: SellerId, listed: Listed, next: Option<Timestamp>) {
        let Some(soonest) = self.sellers.get_mut(&seller) else { return };
        if soonest.noted != listed.noted {
            return;
        }
        self.order.remove(&(soonest.at, seller));
        match next {
            Some(at) => {
                soonest.at = at;
                self.order.insert((at, seller));
            }
            None => {
                self.sellers.remove(&seller);
            }
        }
    }
}

/// Every seller with timers of a kind, and when the first is due: one step for each.
fn sellers(store: &Store, kind: TimerKind) -> Result<Vec<(SellerId, Timestamp)>, ReadError> {
    let (mut found, mut last) = (Vec::new(), None);
    loop {
        let range = Scan::prefix(&(kind as u8,));
        let range = match last {
            Some(seller) => range.after(&(kind as u8, seller)),
            None => range,
        };
        let Some(key) = store.scan(TIMERS, range).keys().next() else { return Ok(found) };
        let (_, seller, at, _) = key?;
        found.push((seller, at));
        last = Some(seller);
    }
}

impl fmt::Debug for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Calendar").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use storage::Batch;
    use storage::testing::TempStore;

    use super::*;

    const KIND: TimerKind = TimerKind::Payment;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_seconds(seconds)
    }

    fn due(calendar: &Calendar, store: &Store, now: i64) -> Vec<u64> {
        let due = calendar.due(store, KIND, at(now)).expect("readable");
        due.into_iter().map(|(seller, _)| seller.0).collect()
    }

    #[test]
    fn sellers_are_listed_by_their_soonest_timer() {
        let (store, calendar) = (TempStore::new(), Calendar::default());
        let mut batch = Batch::new();
        for (seller, seconds) in [(1, 50), (1, 60), (2, 40), (3, 90)] {
            batch.put(TIMERS, &(KIND as u8, SellerId(seller), at(seconds), 7), &());
        }
        store.write_blocking(batch).expect("durable");
        calendar.note(KIND, SellerId(3), at(10));
        calendar.note(TimerKind::Payee, SellerId(9), at(1));
        assert_eq!(due(&calendar, &store, 55), [3, 2, 1]);
        assert_eq!(due(&calendar, &store, 39), [3]);
    }

    #[test]
    fn what_is_noted_while_a_seller_is_looked_at_is_not_lost() {
        let (store, calendar) = (TempStore::new(), Calendar::default());
        calendar.note(KIND, SellerId(1), at(10));
        let listed = |now| calendar.due(&store, KIND, at(now)).expect("readable")[0].1;
        let before = listed(10);
        calendar.note(KIND, SellerId(1), at(20));
        calendar.settle(KIND, SellerId(1), before, None);
        assert_eq!(due(&calendar, &store, 20), [1]);
        calendar.settle(KIND, SellerId(1), listed(20), Some(at(20)));
        assert_eq!(due(&calendar, &store, 19), [0_u64; 0]);
        calendar.settle(KIND, SellerId(1), listed(20), None);
        assert_eq!(due(&calendar, &store, 99), [0_u64; 0]);
    }

    #[test]
    fn of_two_that_look_at_a_seller_the_later_forgets_nothing_that_came_in_between() {
        let (store, calendar) = (TempStore::new(), Calendar::default());
        calendar.note(KIND, SellerId(1), at(10));
        let [first, second] = [10, 10].map(|now| {
            let due = calendar.due(&store, KIND, at(now)).expect("readable");
            due[0].1
        });
        calendar.settle(KIND, SellerId(1), first, None);
        calendar.note(KIND, SellerId(1), at(20));
        calendar.settle(KIND, SellerId(1), second, None);
        assert_eq!(due(&calendar, &store, 20), [1]);
    }
}
