//! The recorder: the one that writes what becomes of deliveries, in groups.

mod group;

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use storage::{Batch, CommitError};
use tokio::time::Instant;

use super::dissolve::dissolve_some;
use super::pool::Pool;
use super::rows::Place;
use crate::domain::platform::delivery::Delivery;
use crate::domain::time::Timestamp;
use crate::tables::EXPANDED;
use group::Group;

const GROUP: usize = 512;

/// What may wait for the disk; beyond, workers and the expander wait with it.
pub(super) const QUEUE: usize = 2_048;

/// Cursors that are written at once.
const CURSORS: usize = 256;

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

pub(super) async fn run(pool: Arc<Pool>) {
    let _recorded = Recorded(&pool);
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

/// Says that the recorder has ended, unless another follows it.
struct Recorded<'a>(&'a Pool);

impl Drop for Recorded<'_> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.0.recorded.cancel();
        }
    }
}

/// Waits until something is to be written that nobody hands in.
async fn pause(pool: &Pool, cursors_at: Instant) {
    let cursors = pool.feeds.any_behind().then_some(cursors_at + pool.settings.cursor_pace);
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
    let mut group = Group::spilling(pool.unwritten.due(GROUP));
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
    if *cursors_at + pool.settings.cursor_pace <= Instant::now() {
        *cursors_at = Instant::now();
        group.cursors = pool.feeds.cursors(CURSORS);
    }
    if group.is_empty() {
        return;
    }
    match AssertUnwindSafe(group.commit(pool)).catch_unwind().await {
        Ok(Ok(())) => group.written(pool),
        Ok(Err(refused)) => group.refused(pool, &refused),
        Err(panic) => {
            group.refused(pool, &CommitError::Failed("it panicked".to_owned()));
            std::panic::resume_unwind(panic);
        }
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
            batch.put(EXPANDED, seller, cursor);
        }
        match pool.store.write(batch).await {
            Ok(_) => pool.feeds.moved(&cursors),
            Err(_) => return,
        }
    }
}
