//! The recorder: writes the results of attempts in groups.

use std::sync::Arc;

use storage::{Batch, CommitError};
use tokio::sync::mpsc;

use super::pool::Pool;
use super::stage::{put, remove_open};
use crate::domain::platform::delivery::Delivery;
use crate::domain::time::Timestamp;

const GROUP: usize = 512;

/// Results that may wait for the disk; beyond, workers wait with them.
pub(super) const QUEUE: usize = 2_048;

/// Seconds until a delivery is attempted again whose result could not be written.
const UNWRITTEN_SECONDS: i64 = 5;

#[derive(Debug)]
pub(super) struct AttemptResult {
    /// When it was due, which is part of its key among the open ones.
    pub(super) was_due: Option<Timestamp>,
    pub(super) delivery: Delivery,
}

pub(super) async fn run(pool: Arc<Pool>, mut results: mpsc::Receiver<AttemptResult>) {
    let _recorded = pool.recorded.clone().drop_guard();
    let mut group = Vec::with_capacity(GROUP);
    loop {
        let count = tokio::select! {
            biased;
            count = results.recv_many(&mut group, GROUP) => count,
            () = pool.drained.cancelled() => break,
        };
        if count == 0 {
            return;
        }
        write(&pool, &mut group).await;
    }
    results.close();
    while results.recv_many(&mut group, GROUP).await > 0 {
        write(&pool, &mut group).await;
    }
}

async fn write(pool: &Pool, group: &mut Vec<AttemptResult>) {
    let mut batch = Batch::new();
    for result in group.iter() {
        remove_open(&mut batch, &result.delivery, result.was_due);
        put(&mut batch, &result.delivery);
    }
    match pool.store.write(batch).await {
        Ok(_) => pool.release(group.drain(..).map(|result| result.delivery)),
        Err(refused) => {
            log_unwritten(&refused, group);
            let due = pool.clock.now().plus_seconds(UNWRITTEN_SECONDS);
            pool.postpone(group.drain(..).map(|result| result.delivery), due);
        }
    }
}

fn log_unwritten(error: &CommitError, group: &[AttemptResult]) {
    for AttemptResult { delivery, .. } in group {
        let Delivery { id, seller, webhook, .. } = delivery;
        tracing::error!(%error, %seller, %webhook, delivery = %id, "the result of a webhook attempt could not be recorded, it is attempted again");
    }
}
