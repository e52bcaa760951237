//! Webhooks that keep no order any more: the recorder lets go of what they hold back.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use storage::Batch;

use super::lines;
use super::pool::Pool;
use super::queue::EndpointKey;

/// How long it takes until it is tried again after a failure.
const PAUSE: Duration = Duration::from_secs(1);

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
    let dissolved = match tokio::task::spawn_blocking(read).await {
        Ok(Ok((batch, (released, more)))) => {
            let written = pool.store.write(batch).await.map(|_| more);
            pool.release(released.into_iter());
            written.map_err(|error| error.to_string())
        }
        Ok(Err(error)) => Err(error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    let mut unfinished = pool.unfinished.lock();
    unfinished.dissolving.pop_front();
    match dissolved {
        Ok(true) => unfinished.dissolving.push_back(key),
        Ok(false) => {}
        Err(error) => {
            tracing::error!(error, %seller, %webhook, "held webhook deliveries could not be let go of, it is tried again");
            let again = Arc::clone(pool);
            pool.spawn(async move {
                tokio::select! {
                    () = tokio::time::sleep(PAUSE) => again.dissolve_lines(key),
                    () = again.stopping.cancelled() => {}
                }
            });
        }
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
