//! Something of which there is so much in all, and at most a part of it for one: memory for
//! bodies and answers, places for uploads.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct Budget<K> {
    most: usize,
    of_one: usize,
    /// What all hold together.
    all: AtomicUsize,
    by_one: Mutex<HashMap<K, usize>>,
}

/// What one of those who share a budget takes of it. It is free again when this is dropped.
pub struct Share<K: Copy + Eq + Hash> {
    budget: Arc<Budget<K>>,
    of: K,
    taken: usize,
}

/// There is no more of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spent;

impl<K: Copy + Eq + Hash> Budget<K> {
    pub(crate) fn new(most: usize, of_one: usize) -> Arc<Self> {
        Arc::new(Self { most, of_one, all: AtomicUsize::new(0), by_one: Mutex::default() })
    }

    /// Of which one may hold a quarter.
    pub(crate) fn in_quarters(most: usize) -> Arc<Self> {
        Self::new(most, most / 4)
    }

    /// A share of `of`, with nothing in it.
    pub(crate) fn share(self: &Arc<Self>, of: K) -> Share<K> {
        Share { budget: self.clone(), of, taken: 0 }
    }

    /// Whether `of` has a quarter of its part left, so that what is made for it next finds room.
    /// With less, what is large would be made only to be thrown away.
    pub(crate) fn is_open(&self, of: K) -> bool {
        let most = self.of_one - self.of_one / 4;
        // Nobody holds more than all do: as long as that is little there is nothing to be locked.
        if self.all.load(Ordering::Relaxed) <= most {
            return true;
        }
        let by_one = self.by_one.lock().unwrap_or_else(PoisonError::into_inner);
        by_one.get(&of).is_none_or(|own| *own <= most)
    }
}

impl<K: Copy + Eq + Hash> Share<K> {
    pub(crate) fn grow(&mut self, by: usize) -> Result<(), Spent> {
        let budget = &self.budget;
        let mut by_one = budget.by_one.lock().unwrap_or_else(PoisonError::into_inner);
        let all = budget.all.load(Ordering::Relaxed);
        let own = by_one.get(&self.of).copied().unwrap_or_default();
        if all + by > budget.most || own + by > budget.of_one {
            return Err(Spent);
        }
        budget.all.store(all + by, Ordering::Relaxed);
        by_one.insert(self.of, own + by);
        self.taken += by;
        Ok(())
    }
}

impl<K: Copy + Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        if self.taken == 0 {
            return;
        }
        let mut by_one = self.budget.by_one.lock().unwrap_or_else(PoisonError::into_inner);
        self.budget.all.fetch_sub(self.taken, Ordering::Relaxed);
        let own = by_one.get(&self.of).copied().unwrap_or_default();
        match own.checked_sub(self.taken) {
            None | Some(0) => by_one.remove(&self.of),
            Some(left) => by_one.insert(self.of, left),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_share_a_budget_and_one_has_a_quarter() {
        let budget = Budget::in_quarters(1_000);
        let mut shares: Vec<Share<u8>> = (1..=4).map(|one| budget.share(one)).collect();
        assert!(budget.is_open(1));
        for share in &mut shares {
            share.grow(200).expect("room");
            share.grow(51).expect_err("more than a quarter");
            share.grow(50).expect("a quarter");
        }
        budget.share(1).grow(1).expect_err("the quarter is taken");
        budget.share(9).grow(1).expect_err("all is taken");
        assert!(!budget.is_open(1) && !budget.is_open(2));
        assert!(budget.is_open(9), "who holds nothing asks for what is small, too");
        shares.remove(0);
        assert!(budget.is_open(1) && !budget.is_open(2));
        budget.share(9).grow(250).expect("room again");
        drop(shares);
        assert_eq!(budget.all.load(Ordering::Relaxed), 0);
        assert!(budget.by_one.lock().expect("whole").is_empty());
    }

    #[test]
    fn a_budget_is_open_to_whoever_has_a_quarter_of_its_part_left() {
        let budget = Budget::new(1_000, 400);
        let mut share = budget.share(1);
        for (by, is_open) in [(299, true), (1, true), (1, false), (99, false)] {
            share.grow(by).expect("room");
            assert_eq!(budget.is_open(1), is_open, "at {}", share.taken);
            assert!(budget.is_open(2));
        }
        drop(share);
        assert!(budget.is_open(1));
    }
}
