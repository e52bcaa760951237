//! The recorder: the one that writes what becomes of deliveries, in groups.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use storage::{Batch, CommitError};
use tokio::time::Instant;

use super::lines::{self, Resolved, Turns};
use super::pool::Pool;
use super::queue::EndpointKey;
use super::rows::{self, Place};
use super::unwritten::Waiting;
use crate::domain::ids::SellerId;
use crate::domain::platform::delivery::Delivery;
use crate::domain::time::Timestamp;

const GROUP: usize = 512;

/// What may wait for the disk; beyond, workers and the expander wait with it.
pub(super) const QUEUE: usize = 2_048;

/// Cursors that are written at once.
const CURSORS: usize = 256;

/// How often the cursors of sellers are written.
const CURSOR_PACE: Duration = Duration::from_millis(250);

/// Seconds until a delivery is attempted again whose result could not be written.
const UNWRITTEN_SECONDS: i64 = 5;

#[derive(Debug)]
pub(super) enum Entry {
    /// An attempt has ended, or there will be none.
    Result {
        /// When it was due, which is part of its key among the open ones.
        was_due: Option<Timestamp>,
        delivery: Delivery,
    },
    /// A delivery that is attempted once it has a row and its turn.
    New(Delivery),
}

/// What the recorder still has to do when it is started again.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    /// Webhooks that keep no order any more.
    dissolving: VecDeque<EndpointKey>,
}

/// A group on its way to the disk.
#[derive(Default)]
struct Group {
    results: Vec<(Option<Place>, Delivery)>,
    spilled: Vec<Waiting>,
    new: Vec<Delivery>,
    released: Vec<Delivery>,
    cursors: Vec<(SellerId, u64)>,
}

pub(super) async fn run(pool: Arc<Pool>) {
    let _recorded = pool.recorded.clone().drop_guard();
    let mut entries = pool.entries.lock().await;
    let (mut taken, mut cursors_at) = (Vec::with_capacity(GROUP), Instant::now());
    loop {
        let count = tokio::select! {
        biased;
        count = entries.recv_many(&mut taken, GROUP) => Some(count),
        () = pool.drained.cancelled() => None,
        () = pause(&pool, cursors_at) => Some(0),
        };
        write(&pool, &mut taken, &mut cursors_at).await;
        dissolve_some(&pool).await;
        if count.is_none() {
            break;
        }
    }
    entries.close();
    while entries.recv_many(&mut taken, GROUP).await > 0 {
        write(&pool, &mut taken, &mut cursors_at).await;
    }
    write_cursors(&pool).await;
}

/// Waits until something is to be written that nobody hands in.
async fn pause(pool: &Pool, cursors_at: Instant) {
    let cursors = pool.feeds.any_behind().then_some(cursors_at + CURSOR_PACE);
    let due = async {
        match pool.unwritten.next_due().into_iter().chain(cursors).min() {
            Some(due) => tokio::time::sleep_until(due).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = due => {}
        () = pool.to_write.notified() => {}
    }
}

async fn write(pool: &Arc<Pool>, taken: &mut Vec<Entry>, cursors_at: &mut Instant) {
    let mut group = Group { spilled: pool.unwritten.due(GROUP), ..Group::default() };
    for entry in taken.drain(..) {
        match entry {
            Entry::Result { was_due, delivery } => {
                let written = !pool.unwritten.contains(delivery.id);
                let before = written.then(|| Place::pending(was_due));
                group.results.push((before, delivery));
            }
            Entry::New(delivery) => group.new.push(delivery),
        }
    }
    if !group.spilled.is_empty() {
        // What has ended in this group is written as it has ended.
        let ended: HashSet<_> = group.results.iter().map(|(_, delivery)| delivery.id).collect();
        group.spilled.retain(|waiting| !ended.contains(&waiting.delivery.id));
    }
    if *cursors_at + CURSOR_PACE <= Instant::now() {
        *cursors_at = Instant::now();
        group.cursors = pool.feeds.cursors(CURSORS);
    }
    if group.is_empty() {
        return;
    }
    let mut batch = Batch::new();
    group.compose(pool, &mut batch).await;
    match pool.store.write(batch).await {
        Ok(_) => group.written(pool),
        Err(refused) => group.refused(pool, &refused),
    }
}

impl Group {
    fn is_empty(&self) -> bool {
        self.results.is_empty()
            && self.spilled.is_empty()
            && self.new.is_empty()
            && self.cursors.is_empty()
    }

    async fn compose(&mut self, pool: &Arc<Pool>, batch: &mut Batch) {
        let mut turns = Turns::default();
        for (_, delivery) in &self.results {
            turns.end(batch, delivery);
        }
        for delivery in &self.new {
            turns.add(batch, delivery);
        }
        let now = pool.clock.now();
        let Resolved { held, mut released } = resolve(pool, turns).await;
        for delivery in &mut self.new {
            if held.contains(&((delivery.seller, delivery.webhook), delivery.sequence)) {
                delivery.next_attempt_at = None;
            }
            rows::put(batch, None, delivery);
        }
        for delivery in &mut released {
            lines::release(batch, delivery, now);
        }
        self.released = released;
        for (before, delivery) in &self.results {
            rows::put(batch, *before, delivery);
        }
        for Waiting { delivery, .. } in &self.spilled {
            rows::put(batch, None, delivery);
        }
        for (seller, cursor) in &self.cursors {
            batch.put(crate::tables::EXPANDED, seller, cursor);
        }
    }

    fn written(self, pool: &Arc<Pool>) {
        for (before, delivery) in &self.results {
            if before.is_none() {
                pool.on_disk(delivery);
            }
        }
        for Waiting { delivery, given_up } in &self.spilled {
            pool.on_disk(delivery);
            if let Some(again) = given_up {
                pool.postpone(delivery, *again);
            }
        }
        for delivery in &self.new {
            pool.feeds.let_go(delivery.seller, delivery.sequence);
            pool.note_on_disk(delivery);
        }
        pool.feeds.moved(&self.cursors);
        let results = self.results.into_iter().map(|(_, delivery)| delivery);
        pool.release(results.chain(self.released));
    }

    /// Nothing was written: it is tried again.
    fn refused(self, pool: &Arc<Pool>, error: &CommitError) {
        let again = pool.clock.now().plus_seconds(UNWRITTEN_SECONDS);
        for (before, delivery) in &self.results {
            let Delivery { id, seller, webhook, .. } = delivery;
            tracing::error!(%error, %seller, %webhook, delivery = %id, "the result of a webhook attempt could not be recorded, it is attempted again");
            if before.is_some() || !pool.unwritten.give_up(*id, again) {
                pool.postpone(delivery, again);
            }
        }
        if !self.spilled.is_empty() || !self.new.is_empty() {
            let count = self.spilled.len() + self.new.len();
            tracing::error!(%error, count, "webhook deliveries could not be written and are written again");
        }
        pool.unwritten.put_back(self.spilled.iter().map(|waiting| waiting.delivery.id));
        for delivery in self.released {
            pool.with_queue((delivery.seller, delivery.webhook), |queue| {
                queue.release(delivery.id, None);
            });
        }
        pool.feeds.not_moved(&self.cursors);
        pool.hand_back(self.new);
    }
}

/// Finds whose turn it is in the lines that a group touches; reads on a thread of its own.
async fn resolve(pool: &Arc<Pool>, turns: Turns) -> Resolved {
    if turns.is_empty() {
        return Resolved::default();
    }
    let reader = Arc::clone(pool);
    match tokio::task::spawn_blocking(move || turns.resolve(&reader)).await {
        Ok(Ok(resolved)) => resolved,
        Ok(Err(error)) => {
            tracing::error!(%error, "webhook deliveries that wait for their turn cannot be read");
            Resolved::default()
        }
        Err(error) => {
            tracing::error!(%error, "webhook deliveries that wait for their turn were not read");
            Resolved::default()
        }
    }
}

/// Lets go of some of what is held back for webhooks that keep no order any more.
async fn dissolve_some(pool: &Arc<Pool>) {
    let Some(key) = pool.unfinished.lock().dissolving.front().copied() else { return };
    let (reader, now) = (Arc::clone(pool), pool.clock.now());
    let read = move || {
        let mut batch = Batch::new();
        lines::dissolve(&reader, &mut batch, key, now).map(|found| (batch, found))
    };
    let (seller, webhook) = key;
    let mut more = false;
    match tokio::task::spawn_blocking(read).await {
        Ok(Ok((batch, (released, rest)))) => {
            more = rest;
            if let Err(error) = pool.store.write(batch).await {
                tracing::error!(%error, %seller, %webhook, "held webhook deliveries could not be let go of");
            }
            pool.release(released.into_iter());
        }
        Ok(Err(error)) => {
            tracing::error!(%error, %seller, %webhook, "held webhook deliveries cannot be read");
        }
        Err(error) => {
            tracing::error!(%error, %seller, %webhook, "held webhook deliveries were not read");
        }
    }
    let mut unfinished = pool.unfinished.lock();
    unfinished.dissolving.pop_front();
    if more {
        unfinished.dissolving.push_back(key);
    }
    if !unfinished.dissolving.is_empty() {
        pool.to_write.notify_one();
    }
}

impl Pool {
    /// A webhook keeps no order any more: what is held back for it is let go of.
    pub(super) fn dissolve_lines(&self, key: EndpointKey) {
        self.unfinished.lock().dissolving.push_back(key);
        self.to_write.notify_one();
    }
}

async fn write_cursors(pool: &Arc<Pool>) {
    loop {
        let cursors = pool.feeds.cursors(CURSORS);
        if cursors.is_empty() {
            return;
        }
        let mut batch = Batch::new();
        for (seller, cursor) in &cursors {
            batch.put(crate::tables::EXPANDED, seller, cursor);
        }
        match pool.store.write(batch).await {
            Ok(_) => pool.feeds.moved(&cursors),
            Err(_) => return,
        }
    }
}
