//! Webhook deliveries: from the batch that causes an event to the endpoint that subscribes to it.
//!
//! * A room calls [`stage_events`] with the batch of its change, which adds one row for each
//!   event, under the next sequence of its seller. The returned [`Staged`] goes to
//!   [`DeliveryPool::notify`] once the batch is durable, and not before.
//! * The expander follows the events of each seller and makes a delivery for every webhook that
//!   subscribed. A cursor on disk says how far it is; after a crash it goes on from there, and
//!   knows by their ids which deliveries are there.
//! * The pool has a queue for each endpoint, with a window of concurrent attempts that widens
//!   while the endpoint answers well and narrows when it does not. Endpoints that are slow or
//!   failing share slots of their own, and so do those that are new or have been idle, one attempt
//!   each: slow ones keep neither these nor prompt ones waiting. Of either slots one seller has a
//!   part at most.
//! * One recorder writes in groups what becomes of deliveries, and knows whose turn it is where a
//!   webhook keeps order; only the pool writes deliveries under way.
//! * What a queue does not hold, and all that waits for its next attempt, is on disk alone and
//!   fetched when due, also at the start. An attempt that was under way may be repeated.
//! * The sweeper deletes events and their deliveries when they have been kept long enough.

mod attempt;
mod claims;
mod client;
mod counts;
mod dissolve;
mod ending;
mod events;
mod expand;
mod feed;
mod fetch;
mod lines;
mod list;
mod names;
mod pool;
mod queue;
mod queues;
mod record;
mod redeliver;
mod resume;
mod retain;
mod rows;
mod slots;
mod stage;
#[cfg(test)]
mod tests;
mod unwritten;
mod worker;

use std::sync::Arc;
use std::time::Duration;

use ipnet::IpNet;
use storage::{ReadError, Store};
use uuid::Uuid;

pub(crate) use client::tls;
pub use counts::Counts;
pub use events::{EventsPage, events_page, last_event};
pub use list::{DeliveriesPage, DeliveryFilter, deliveries_page, delivery};
pub use names::RESOLVING_THREADS;
#[cfg(test)]
pub(crate) use names::all_unknown_of;
pub(crate) use names::{Place, place, resolve_in};
pub(crate) use queue::Standing;
pub use redeliver::RedeliverError;
pub(crate) use rows::{index_key, line_key, open_key};
pub use stage::{Origin, Reserved, Staged, stage_events};

use crate::clock::Clock;
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::delivery::{Delivery, RetryDelays};
use crate::domain::platform::webhook::Webhook;
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;
use crate::link_tokens::LinkTokens;
use crate::queue::Supervisor;
use crate::secrets::SecretBox;
use pool::Pool;

/// How often the clock is read while something waits for its time.
const POLL: Duration = Duration::from_millis(50);

/// Seconds until the next look for a webhook that is not known at the moment, or whose seller is
/// not active.
const POSTPONE_SECONDS: i64 = 5;

/// The part of the slots for endpoints that are unknown or slow which one seller may have.
const PART_OF_SELLER: usize = 2;

/// Deliveries that each endpoint may have in memory, however many others have.
const HELD_AT_LEAST: usize = 16;

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
    /// Attempts at once to endpoints that answer promptly, as many again to those of which nothing
    /// is known, and as many to slow ones.
    pub at_once: usize,
    /// Deliveries of one endpoint that are kept in memory; the rest stays on disk.
    pub held_per_endpoint: usize,
    /// Deliveries of all endpoints that are kept in memory, but for the few that each may have.
    pub held: usize,
    /// Days that events and their deliveries are kept (`events.keep_days`).
    pub keep_days: u32,
    /// How often it is written down up to which event a seller's deliveries are made. After a
    /// crash the events since then are looked through.
    pub cursor_pace: Duration,
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
            keep_days: 30,
            cursor_pace: Duration::from_secs(1),
            grace: Duration::from_secs(5),
        }
    }
}

impl DeliverySettings {
    fn at_once_of_seller(&self) -> usize {
        (self.at_once / PART_OF_SELLER).max(1)
    }

    fn held_at_least(&self) -> usize {
        HELD_AT_LEAST.min(self.held_per_endpoint)
    }
}

#[derive(Clone, Debug)]
pub struct Destination {
    /// The seller's UUID, which the envelope carries.
    pub seller: Uuid,
    pub webhook: Arc<Webhook>,
    /// Whether the seller's account is active: deliveries of others wait.
    pub is_open: bool,
    pub live: bool,
    /// The networks of the seller's allowlist; an empty one restricts nothing.
    pub allowlist: Arc<[IpNet]>,
    /// Whether an entry of the allowlist must cover the address: then an empty one admits nothing.
    pub listed_only: bool,
}

/// What became of a webhook.
#[derive(Clone, Debug)]
pub enum Found {
    Destination(Destination),
    /// It was deleted.
    Gone,
    /// It cannot be read at the moment: the delivery is postponed, not given up.
    Unknown,
}

/// Looks up a webhook of a seller as it is now, without waiting.
pub type WebhookLookup = Arc<dyn Fn(SellerId, WebhookId) -> Found + Send + Sync>;

#[derive(Clone, Debug)]
pub struct DeliveryPool {
    pool: Arc<Pool>,
}

impl DeliveryPool {
    /// Starts delivering what is open on disk and what [`notify`](Self::notify) tells of. Must be
    /// called on a tokio runtime.
    pub fn start(
        store: Store,
        clock: Clock,
        entropy: Entropy,
        settings: DeliverySettings,
        lookup: WebhookLookup,
        (secrets, links): (SecretBox, LinkTokens),
        supervisor: &Supervisor,
    ) -> Self {
        let secret = (secrets, links);
        Self { pool: Pool::start(store, clock, entropy, settings, lookup, secret, supervisor) }
    }

    /// Tells of what a durable batch has staged. Never waits, so it may be called on the
    /// committer's thread.
    pub fn notify(&self, staged: &Staged) {
        self.pool.notify(staged);
    }

    /// Counts the durable events of a seller from now on.
    pub fn follow(&self, seller: SellerId) -> tokio::sync::watch::Receiver<u64> {
        self.pool.followers.watch(seller)
    }

    /// Starts a new series of attempts for a delivery, with the same event and body, once an
    /// attempt that is under way has ended, unless it `is_done` by then. Refused for a disabled
    /// webhook, and where that takes too long.
    pub async fn redeliver(
        &self,
        seller: SellerId,
        id: DeliveryId,
        is_done: impl FnOnce() -> Result<bool, ReadError> + Send + 'static,
    ) -> Result<Delivery, RedeliverError> {
        let pool = Arc::clone(&self.pool);
        to_the_end(async move { redeliver::one(&pool, seller, id, is_done).await }).await
    }

    /// Starts a new series for every delivery of a webhook that has failed and was created at
    /// `since` or later; returns how many. Refused for a disabled webhook.
    pub async fn redeliver_failed(
        &self,
        seller: SellerId,
        webhook: WebhookId,
        since: Timestamp,
    ) -> Result<u64, RedeliverError> {
        let pool = Arc::clone(&self.pool);
        to_the_end(async move { redeliver::failed_since(&pool, seller, webhook, since).await })
            .await
    }

    /// Ends the waiting deliveries of a webhook as failed, once it is durably disabled or deleted.
    /// Attempts under way are finished and not retried.
    pub fn webhook_ended(&self, seller: SellerId, webhook: WebhookId) {
        self.pool.fail_pending((seller, webhook));
    }

    /// Lets go of what a webhook holds back, once it durably keeps no order any more.
    pub fn webhook_unordered(&self, seller: SellerId, webhook: WebhookId) {
        self.pool.dissolve_lines((seller, webhook));
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

/// Runs to the end what was begun, even if the caller goes away: what it has claimed is let go of.
async fn to_the_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, RedeliverError>> + Send + 'static,
) -> Result<T, RedeliverError> {
    let ended = tokio::spawn(work).await;
    ended.unwrap_or_else(|error| Err(ReadError::Failed(error.to_string()).into()))
}
