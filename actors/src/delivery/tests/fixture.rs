//! A store, a clock that tests push, a receiver, some webhooks and a pool.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;
use storage::Batch;
use storage::testing::TempStore;
use uuid::Uuid;

use super::receiver::Receiver;
use crate::clock::Clock;
use crate::delivery::{
    DeliveryPool, DeliverySettings, Destination, Origin, Staged, WebhookLookup, delivery,
    stage_events,
};
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::delivery::{Delivery, DeliveryStatus};
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::platform::webhook::filter::EventFilter;
use crate::domain::platform::webhook::secret::secret_of;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::platform::webhook::{Webhook, WebhookStatus};
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;
use crate::secrets::{Place, SecretBox};
use crate::tables::ids;

pub(super) const SELLER: SellerId = SellerId(1);

pub(super) struct Fixture {
    pub(super) store: TempStore,
    pub(super) clock: Clock,
    pub(super) receiver: Receiver,
    pub(super) settings: DeliverySettings,
    pub(super) pool: DeliveryPool,
    destinations: Arc<Mutex<HashMap<WebhookId, Destination>>>,
}

impl Fixture {
    pub(super) async fn new() -> Self {
        Self::with(settings()).await
    }

    pub(super) async fn with(settings: DeliverySettings) -> Self {
        let store = TempStore::new();
        let clock = Clock::by_hand(Timestamp::parse("2026-11-21T09:00:00Z").unwrap());
        let destinations = Arc::default();
        let pool = start(&store, &clock, &settings, &destinations);
        Self { store, clock, receiver: Receiver::start().await, settings, pool, destinations }
    }

    /// Ends the pool as a killed process would: only what was on disk is left.
    pub(super) async fn kill(&mut self) {
        self.store.reopen();
        self.pool.stop().await;
    }

    /// Stops the pool without waiting for attempts that are under way.
    pub(super) async fn stop(&mut self) {
        self.pool.stop().await;
        self.store.reopen();
    }

    /// Starts another pool.
    pub(super) fn restart(&mut self) {
        self.pool = start(&self.store, &self.clock, &self.settings, &self.destinations);
    }

    /// A demo account's webhook that subscribes to everything.
    pub(super) fn webhook(&self, id: u64, path: &str) -> Arc<Webhook> {
        self.webhook_at(id, &self.receiver.url(path), &[])
    }

    pub(super) fn webhook_at(&self, id: u64, url: &str, allowlist: &[&str]) -> Arc<Webhook> {
        let secret = boxed().seal(
            Place::WebhookSecret(SELLER, WebhookId(id)),
            secret(id).as_bytes(),
            Entropy.bytes(),
        );
        let webhook = Arc::new(Webhook {
            id: WebhookId(id),
            seller: SELLER,
            url: WebhookUrl::parse(url, true).unwrap(),
            status: WebhookStatus::Active,
            event_types: EventFilter::default(),
            secret,
            created_at: self.clock.now(),
            updated_at: self.clock.now(),
        });
        let allowlist = allowlist.iter().map(|net| net.parse().unwrap()).collect();
        let webhook_now = webhook.clone();
        let destination =
            Destination { webhook: webhook_now, live: false, allowlist, listed_only: false };
        self.destinations.lock().insert(webhook.id, destination);
        webhook
    }

    pub(super) fn set_status(&self, id: WebhookId, status: WebhookStatus) {
        let mut destinations = self.destinations.lock();
        let found = destinations.get_mut(&id).unwrap();
        found.webhook = Arc::new(Webhook { status, ..(*found.webhook).clone() });
    }

    /// Writes events for these webhooks and notifies the pool.
    pub(super) async fn emit(&self, webhooks: &[Arc<Webhook>], count: usize) -> Vec<DeliveryId> {
        let mut batch = Batch::new();
        let staged = self.stage(&mut batch, webhooks, count);
        let ids = staged.deliveries.iter().map(|delivery| delivery.id).collect();
        self.store.write(batch).await.unwrap();
        self.pool.notify(staged);
        ids
    }

    pub(super) fn stage(
        &self,
        batch: &mut Batch,
        webhooks: &[Arc<Webhook>],
        count: usize,
    ) -> Staged {
        let store = self.store.store().clone();
        stage_events(batch, &self.origin(), webhooks, self.events(count), || {
            store.next_id(ids::EVENT)
        })
    }

    pub(super) fn origin(&self) -> Origin {
        Origin { seller: SELLER, uuid: Uuid::from_u128(7), now: self.clock.now() }
    }

    pub(super) fn events(&self, count: usize) -> Vec<NewEvent> {
        let event = |number| NewEvent {
            kind: EventType::InvoicePaid,
            occurred_at: self.clock.now(),
            payload: json!({ "number": number, "amountMinor": 1_200 }),
        };
        (0..count).map(event).collect()
    }

    pub(super) fn push_seconds(&self, seconds: i64) {
        self.clock.push(self.clock.now().plus_seconds(seconds));
    }

    pub(super) fn row(&self, id: DeliveryId) -> Delivery {
        delivery(&self.store, SELLER, id).unwrap().unwrap()
    }

    /// Waits until the pool has looked for what is due at this time of the clock and has nothing
    /// more to do: what has not been sent by then is not sent before the clock is pushed.
    #[track_caller]
    pub(super) fn at_rest(&self) -> impl Future<Output = ()> {
        let pool = &self.pool.pool;
        // A look that is under way may have read the clock before it was pushed.
        let looks = pool.looks.load(Ordering::SeqCst) + 2;
        until(move || {
            pool.wake.notify_one();
            pool.looks.load(Ordering::SeqCst) >= looks && pool.is_at_rest()
        })
    }

    pub(super) async fn until_status(&self, ids: &[DeliveryId], status: DeliveryStatus) {
        until(|| ids.iter().all(|id| self.row(*id).status == status)).await;
    }

    pub(super) async fn until_attempts(&self, id: DeliveryId, attempts: u32) {
        until(|| self.row(id).attempts == attempts).await;
    }
}

/// Loopback is admitted, attempts end soon.
pub(super) fn settings() -> DeliverySettings {
    DeliverySettings {
        timeout: Duration::from_secs(5),
        guard: AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()]),
        grace: Duration::ZERO,
        ..DeliverySettings::default()
    }
}

pub(super) fn secret(webhook: u64) -> String {
    secret_of(&[u8::try_from(webhook).unwrap(); 32]).to_string()
}

fn boxed() -> SecretBox {
    SecretBox::new(&[9; 32])
}

fn start(
    store: &TempStore,
    clock: &Clock,
    settings: &DeliverySettings,
    destinations: &Arc<Mutex<HashMap<WebhookId, Destination>>>,
) -> DeliveryPool {
    let destinations = destinations.clone();
    let lookup: WebhookLookup = Arc::new(move |_, id| destinations.lock().get(&id).cloned());
    let store = store.store().clone();
    DeliveryPool::start(store, clock.clone(), Entropy, settings.clone(), lookup, boxed())
}

/// Waits for a condition, and panics when it is not met within 20 seconds.
#[track_caller]
pub(super) fn until(mut holds: impl FnMut() -> bool) -> impl Future<Output = ()> {
    let place = std::panic::Location::caller();
    async move {
        for _ in 0..4_000 {
            if holds() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("waited in vain at {place}");
    }
}
