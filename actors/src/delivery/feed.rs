//! How far the deliveries of each seller's events are made, in memory and on disk.
//!
//! A seller's cursor on disk never passes an event of which a delivery is not on disk yet. It may
//! lag behind: a feed that is read anew looks whether deliveries are there already.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::stage::Written;
use crate::domain::ids::SellerId;

/// Feeds that are kept in memory while nothing is to be done in them.
const KEPT: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct Feeds {
    inner: Mutex<Inner>,
    /// A seller has got a turn.
    pub(super) wake: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    by_seller: HashMap<SellerId, Feed>,
    /// Sellers with events to expand, each once, in the order in which they take turns.
    turns: VecDeque<SellerId>,
    /// Sellers whose cursor on disk may be behind.
    behind: BTreeSet<SellerId>,
}

#[derive(Debug, Default)]
struct Feed {
    /// The last event that is known to be durable.
    durable: u64,
    /// The last event that was expanded; unknown until the cursor is read.
    expanded: Option<u64>,
    /// Deliveries of events up to this one may have been made by an earlier run.
    doubtful: u64,
    cursor: u64,
    /// How many deliveries of an event are not on disk.
    unwritten: BTreeMap<u64, usize>,
    has_turn: bool,
}

/// What one turn of a seller is to expand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub(super) seller: SellerId,
    /// `None`: the cursor is to be read first.
    pub(super) expanded: Option<u64>,
    pub(super) durable: u64,
    /// Up to where deliveries may be there already.
    pub(super) doubtful: u64,
}

impl Feeds {
    /// Notes durable events. Never waits.
    pub(super) fn notify(&self, seller: SellerId, written: Written) {
        let mut inner = self.inner.lock();
        let feed = inner.by_seller.entry(seller).or_default();
        feed.durable = feed.durable.max(written.last);
        if !written.heard && feed.expanded == Some(written.first - 1) {
            feed.expanded = Some(written.last);
            inner.behind.insert(seller);
        } else {
            self.give_turn(&mut inner, seller);
        }
    }

    fn give_turn(&self, inner: &mut Inner, seller: SellerId) {
        let Some(feed) = inner.by_seller.get_mut(&seller) else { return };
        if feed.has_work() && !feed.has_turn {
            feed.has_turn = true;
            inner.turns.push_back(seller);
            self.wake.notify_one();
        }
    }

    /// Gives a turn to every seller that should have one: a worker may have ended within one.
    pub(super) fn begin(&self) {
        let mut inner = self.inner.lock();
        inner.turns.clear();
        let sellers: Vec<_> = inner.by_seller.keys().copied().collect();
        for seller in sellers {
            if let Some(feed) = inner.by_seller.get_mut(&seller) {
                feed.has_turn = false;
            }
            self.give_turn(&mut inner, seller);
        }
    }

    /// The next turns, at most `most`, each of another seller.
    pub(super) fn take_turns(&self, most: usize) -> Vec<Turn> {
        let mut inner = self.inner.lock();
        let count = most.min(inner.turns.len());
        let sellers: Vec<_> = inner.turns.drain(..count).collect();
        sellers
            .into_iter()
            .filter_map(|seller| {
                let feed = inner.by_seller.get_mut(&seller)?;
                feed.has_turn = false;
                if feed.expanded.is_none() {
                    feed.doubtful = feed.durable;
                }
                let Feed { expanded, durable, doubtful, .. } = *feed;
                Some(Turn { seller, expanded, durable, doubtful })
            })
            .collect()
    }

    /// Notes the cursor as it was read.
    pub(super) fn begin_at(&self, seller: SellerId, cursor: u64) {
        if let Some(feed) = self.inner.lock().by_seller.get_mut(&seller) {
            (feed.expanded, feed.cursor) = (Some(cursor), cursor);
        }
    }

    /// A delivery of this event is not on disk yet.
    pub(super) fn hold(&self, seller: SellerId, sequence: u64) {
        if let Some(feed) = self.inner.lock().by_seller.get_mut(&seller) {
            *feed.unwritten.entry(sequence).or_default() += 1;
        }
    }

    /// A delivery of this event that was held is on disk.
    pub(super) fn let_go(&self, seller: SellerId, sequence: u64) {
        let mut inner = self.inner.lock();
        let Some(feed) = inner.by_seller.get_mut(&seller) else { return };
        if let Some(count) = feed.unwritten.get_mut(&sequence) {
            *count -= 1;
            if *count == 0 {
                feed.unwritten.remove(&sequence);
                inner.behind.insert(seller);
            }
        }
    }

    /// The events up to `sequence` are expanded; all of their deliveries that are not on disk are
    /// held.
    pub(super) fn expanded(&self, seller: SellerId, sequence: u64) {
        let mut inner = self.inner.lock();
        let Some(feed) = inner.by_seller.get_mut(&seller) else { return };
        feed.expanded = feed.expanded.max(Some(sequence));
        inner.behind.insert(seller);
        self.give_turn(&mut inner, seller);
    }

    /// A turn that could not be carried out comes again.
    pub(super) fn postponed(&self, seller: SellerId) {
        self.give_turn(&mut self.inner.lock(), seller);
    }

    pub(super) fn any_behind(&self) -> bool {
        !self.inner.lock().behind.is_empty()
    }

    /// Cursors that can be moved on, at most `most`.
    pub(super) fn cursors(&self, most: usize) -> Vec<(SellerId, u64)> {
        let mut inner = self.inner.lock();
        let mut moved = Vec::new();
        while moved.len() < most {
            let Some(seller) = inner.behind.pop_first() else { break };
            let Some(feed) = inner.by_seller.get(&seller) else { continue };
            match feed.reached() {
                reached if reached > feed.cursor => moved.push((seller, reached)),
                _ => drop_idle(&mut inner, seller),
            }
        }
        moved
    }

    /// Cursors are on disk.
    pub(super) fn moved(&self, cursors: &[(SellerId, u64)]) {
        let mut inner = self.inner.lock();
        for &(seller, cursor) in cursors {
            if let Some(feed) = inner.by_seller.get_mut(&seller) {
                feed.cursor = feed.cursor.max(cursor);
            }
            drop_idle(&mut inner, seller);
        }
    }

    /// Cursors could not be written and are still behind.
    pub(super) fn not_moved(&self, cursors: &[(SellerId, u64)]) {
        self.inner.lock().behind.extend(cursors.iter().map(|(seller, _)| *seller));
    }

    #[cfg(test)]
    pub(super) fn is_at_rest(&self) -> bool {
        let inner = self.inner.lock();
        inner.behind.is_empty() && inner.by_seller.values().all(Feed::is_at_rest)
    }
}

fn drop_idle(inner: &mut Inner, seller: SellerId) {
    if inner.by_seller.len() <= KEPT {
        return;
    }
    let idle = |feed: &Feed| feed.is_at_rest() && feed.expanded == Some(feed.cursor);
    if inner.by_seller.get(&seller).is_some_and(idle) {
        inner.by_seller.remove(&seller);
    }
}

impl Feed {
    fn has_work(&self) -> bool {
        self.expanded.is_none_or(|expanded| expanded < self.durable)
    }

    fn is_at_rest(&self) -> bool {
        !self.has_work() && self.unwritten.is_empty()
    }

    /// Up to where every delivery is on disk.
    fn reached(&self) -> u64 {
        let expanded = self.expanded.unwrap_or(0);
        self.unwritten.first_key_value().map_or(expanded, |(first, _)| expanded.min(first - 1))
    }
}
