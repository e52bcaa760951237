//! The recorder: writes down, in groups, what attempts came to.

use std::sync::Arc;

use storage::Batch;
use tokio::sync::mpsc;

use super::pool::Pool;
use super::stage::{put, take_place};
use crate::domain::platform::delivery::Delivery;
use crate::domain::time::Timestamp;

/// Conclusions that are written together at most.
const GROUP: usize = 512;

/// Conclusions that may wait for the disk; beyond, lanes wait with them.
pub(super) const QUEUE: usize = 2_048;

/// After how many seconds a delivery is attempted again whose conclusion could not be written.
const UNWRITTEN_SECONDS: i64 = 5;

/// A delivery as it is after an attempt, to be written.
#[derive(Debug)]
pub(super) struct Conclusion {
    /// When it was due, which names its place among the open ones.
    pub(super) was_due: Option<Timestamp>,
    pub(super) delivery: Delivery,
}

/// Writes conclusions until the pool has drained.
pub(super) async fn run(pool: Arc<Pool>, mut conclusions: mpsc::Receiver<Conclusion>) {
    let _recorded = pool.recorded.clone().drop_guard();
    let mut group = Vec::with_capacity(GROUP);
    loop {
        let count = tokio::select! {
            biased;
            count = conclusions.recv_many(&mut group, GROUP) => count,
            () = pool.drained.cancelled() => break,
        };
        if count == 0 {
            return;
        }
        write(&pool, &mut group).await;
    }
    conclusions.close();
    while conclusions.recv_many(&mut group, GROUP).await > 0 {
        write(&pool, &mut group).await;
    }
}

async fn write(pool: &Pool, group: &mut Vec<Conclusion>) {
    let mut batch = Batch::new();
    for conclusion in group.iter() {
        take_place(&mut batch, &conclusion.delivery, conclusion.was_due);
        put(&mut batch, &conclusion.delivery);
    }
    match pool.store.write(batch).await {
        Ok(_) => pool.settle(group.drain(..).map(|conclusion| conclusion.delivery)),
        Err(refused) => {
            tracing::error!(%refused, count = group.len(), "deliveries could not be recorded");
            let due = pool.clock.now().plus_seconds(UNWRITTEN_SECONDS);
            pool.put_off(group.drain(..).map(|conclusion| conclusion.delivery), due);
        }
    }
}
