//! Webhook deliveries: from the batch that causes an event to the endpoint that subscribes to it.
//!
//! * A room calls [`stage_events`] with the batch of its change. For every webhook that subscribes
//!   to the event this adds two rows, the delivery and its entry among the open ones. The returned
//!   [`Staged`] goes to [`DeliveryPool::notify`] once the batch is durable, and not before.
//! * The pool has a queue for each endpoint, with a window of concurrent attempts that widens
//!   while the endpoint answers well and narrows when it does not. Endpoints that are
//!   new, slow or failing share slots of their own, so they cannot keep prompt ones waiting.
//! * One recorder writes results in groups; only the pool writes deliveries under way.
//! * What a queue does not hold, and all that waits for its next attempt, is on disk alone and
//!   fetched when due, also at the start. An attempt that was under way may be repeated.

mod attempt;
mod client;
mod counts;
mod fetch;
mod list;
mod pool;
mod queue;
mod record;
mod redeliver;
mod stage;
#[cfg(test)]
mod tests;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use storage::Store;

pub(crate) use attempt::resolve;
pub(crate) use client::tls;
pub use counts::Counts;
pub use list::{DeliveriesPage, DeliveryFilter, deliveries_page, delivery};
pub use redeliver::RedeliverError;
pub use stage::{Origin, Staged, StagedSlot, ids_needed, stage_events};

use crate::clock::Clock;
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::delivery::{Delivery, RetryDelays};
use crate::domain::platform::webhook::Webhook;
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;
use crate::secrets::SecretBox;
use pool::Pool;
use queue::EndpointKey;

#[derive(Clone, Debug)]
pub struct DeliverySettings {
    /// How long an endpoint may take to answer (`webhooks.timeout_seconds`).
    pub timeout: Duration,
    /// Delays between attempts for live accounts (`webhooks.retry_seconds`).
    pub retry_live: RetryDelays,
    /// Delays between attempts for demo accounts (`webhooks.retry_seconds`).
    pub retry_demo: RetryDelays,
    /// Which addresses are reached.
    pub guard: AddressGuard,
    pub per_endpoint: usize,
    /// Attempts at once to endpoints that answer promptly, and as many again to all others.
    pub at_once: usize,
    /// Deliveries of one endpoint that are kept in memory; the rest stays on disk.
    pub held_per_endpoint: usize,
    pub held: usize,
    /// How long attempts under way may take once the pool is stopped.
    pub grace: Duration,
}

impl Default for DeliverySettings {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            retry_live: RetryDelays::LIVE,
            retry_demo: RetryDelays::DEMO,
            guard: AddressGuard::default(),
            per_endpoint: 16,
            at_once: 256,
            held_per_endpoint: 1_024,
            held: 16_384,
            grace: Duration::from_secs(5),
        }
    }
}

#[derive(Clone, Debug)]
pub struct Destination {
    pub webhook: Arc<Webhook>,
    pub live: bool,
    /// The networks of the seller's allowlist; an empty one restricts nothing.
    pub allowlist: Arc<[IpNet]>,
    /// Whether an entry of the allowlist must cover the address: then an empty one admits nothing.
    pub listed_only: bool,
}

/// Looks up a webhook of a seller as it is now, without waiting. `None` means that it is not known
/// at the moment: the delivery is postponed, not given up.
pub type WebhookLookup = Arc<dyn Fn(SellerId, WebhookId) -> Option<Destination> + Send + Sync>;

#[derive(Clone, Debug)]
pub struct DeliveryPool {
    pool: Arc<Pool>,
}

impl DeliveryPool {
    /// Starts delivering what is open on disk and what [`notify`](Self::notify) hands in. Must be
    /// called on a tokio runtime.
    pub fn start(
        store: Store,
        clock: Clock,
        entropy: Entropy,
        settings: DeliverySettings,
        lookup: WebhookLookup,
        secrets: SecretBox,
    ) -> Self {
        Self { pool: Pool::start(store, clock, entropy, settings, lookup, secrets) }
    }

    /// Takes over what a durable batch has staged. Never waits, so it may be called on the
    /// committer's thread.
    pub fn notify(&self, staged: Staged) {
        self.pool.notify(staged);
    }

    /// Starts a new series of attempts for a delivery, with the same event and body. One that is
    /// being attempted just now is left as it is. Refused for a disabled webhook.
    pub async fn redeliver(
        &self,
        seller: SellerId,
        id: DeliveryId,
    ) -> Result<Delivery, RedeliverError> {
        redeliver::one(&self.pool, seller, id).await
    }

    /// Starts a new series for every delivery of a webhook that has failed and was created at
    /// `since` or later; returns how many. Refused for a disabled webhook.
    pub async fn redeliver_failed(
        &self,
        seller: SellerId,
        webhook: WebhookId,
        since: Timestamp,
    ) -> Result<usize, RedeliverError> {
        redeliver::failed_since(&self.pool, seller, webhook, since).await
    }

    /// Ends the waiting deliveries of a webhook as failed, once its change to `disabled` is
    /// durable. Attempts under way are finished and not retried.
    pub fn webhook_disabled(&self, seller: SellerId, webhook: WebhookId) {
        self.pool.fail_pending((seller, webhook));
    }

    pub fn counts(&self) -> Counts {
        self.pool.counts()
    }

    /// Begins no attempt any more, lets those under way finish within the grace time, records
    /// their results, and abandons the rest, which stay pending.
    pub async fn stop(&self) {
        self.pool.stop().await;
    }
}
