//! Webhooks that keep no order any more: the recorder lets go of what they hold back.

use std::collections::VecDeque;
use std::sync::Arc;

use storage::Batch;

use super::lines;
use super::pool::Pool;
use super::queue::EndpointKey;

/// What is to be done still, bit by bit.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    /// Webhooks that keep no order any more.
    dissolving: VecDeque<EndpointKey>,
}

/// Lets go of some of what is held back for webhooks that keep no order any more.
pub(super) async fn dissolve_some(pool: &Arc<Pool>) {
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
