//! A store, a clock that tests push, a receiver, some webhooks and a pool.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::json;
use storage::testing::TempStore;
use storage::{Batch, Scan};
use uuid::Uuid;

use super::receiver::Receiver;
use crate::clock::Clock;
use crate::delivery::{
    DeliveryPool, DeliverySettings, Destination, Found, Origin, RedeliverError, Staged,
    WebhookLookup, delivery, stage_events,
};
use crate::domain::ids::{DeliveryId, EventId, SellerId, WebhookId};
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::delivery::{Delivery, DeliveryStatus, delivery_id};
use crate::domain::platform::event::{EventObject, EventType, NewEvent, ObjectKind};
use crate::domain::platform::webhook::filter::EventFilter;
use crate::domain::platform::webhook::secret::secret_of;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::platform::webhook::{Webhook, WebhookStatus};
use crate::domain::time::Timestamp;
use crate::entropy::Entropy;
use crate::health::Health;
use crate::link_tokens::LinkTokens;
use crate::queue::Supervisor;
use crate::secrets::{Place, SecretBox};
use crate::tables::{DELIVERIES, EVENTS, EXPANDED, ids};
use crate::testing;

pub(super) const SELLER: SellerId = SellerId(1);

pub(super) struct Fixture {
    pub(super) store: TempStore,
    pub(super) clock: Clock,
    pub(super) receiver: Receiver,
    pub(super) settings: DeliverySettings,
    pub(super) pool: DeliveryPool,
    destinations: Destinations,
}

#[derive(Clone, Default)]
struct Destinations {
    by_id: Arc<Mutex<HashMap<WebhookId, Destination>>>,
    /// The look-ups until one panics; none below 1.
    until_panic: Arc<AtomicI64>,
}

impl Fixture {
    pub(super) async fn new() -> Self {
        Self::with(settings()).await
    }

    pub(super) async fn with(settings: DeliverySettings) -> Self {
        let store = TempStore::new();
        let clock = Clock::by_hand(Timestamp::parse("2026-11-21T09:00:00Z").unwrap());
        let destinations = Destinations::default();
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
            ordered: false,
        });
        let allowlist = allowlist.iter().map(|net| net.parse().unwrap()).collect();
        let destination = Destination {
            seller: Uuid::from_u128(7),
            webhook: webhook.clone(),
            is_open: true,
            live: false,
            allowlist,
            listed_only: false,
        };
        self.destinations.by_id.lock().insert(webhook.id, destination);
        webhook
    }

    pub(super) fn set_status(&self, id: WebhookId, status: WebhookStatus) {
        self.change(id, |found| {
            found.webhook = Arc::new(Webhook { status, ..(*found.webhook).clone() });
        });
    }

    pub(super) fn set_ordered(&self, id: WebhookId, ordered: bool) {
        self.change(id, |found| {
            found.webhook = Arc::new(Webhook { ordered, ..(*found.webhook).clone() });
        });
    }

    /// Opens or shuts the account of the seller.
    pub(super) fn set_open(&self, is_open: bool) {
        self.destinations.by_id.lock().values_mut().for_each(|found| found.is_open = is_open);
    }

    /// The account of the seller goes live.
    pub(super) fn go_live(&self) {
        self.destinations.by_id.lock().values_mut().for_each(|found| found.live = true);
    }

    pub(super) fn delete(&self, id: WebhookId) {
        self.destinations.by_id.lock().remove(&id);
    }

    /// Lets the next look-up of a webhook but so many panic.
    pub(super) fn panic_at(&self, look_up: i64) {
        self.destinations.until_panic.store(look_up, Ordering::SeqCst);
    }

    pub(super) fn has_panicked(&self) -> bool {
        self.destinations.until_panic.load(Ordering::SeqCst) < 1
    }

    fn change(&self, id: WebhookId, change: impl FnOnce(&mut Destination)) {
        change(self.destinations.by_id.lock().get_mut(&id).unwrap());
    }

    /// Asks for a new series, which nobody has asked for before.
    pub(super) async fn redeliver(
        &self,
        seller: SellerId,
        id: DeliveryId,
    ) -> Result<Delivery, RedeliverError> {
        self.pool.redeliver(seller, id, || Ok(false)).await
    }

    /// Writes events for these webhooks and notifies the pool. Answers the ids of their
    /// deliveries, which may not be there yet.
    pub(super) async fn emit(&self, webhooks: &[Arc<Webhook>], count: usize) -> Vec<DeliveryId> {
        self.tell(webhooks, self.events(count), 1).await
    }

    /// Writes these events of a contract and notifies the pool.
    pub(super) async fn tell(
        &self,
        webhooks: &[Arc<Webhook>],
        events: Vec<NewEvent>,
        contract: u64,
    ) -> Vec<DeliveryId> {
        let mut batch = Batch::new();
        let origin = Origin {
            object: EventObject { kind: ObjectKind::Contract, id: contract },
            ..self.origin()
        };
        let (staged, ids) = self.stage(&mut batch, &origin, webhooks, &events);
        self.store.write(batch).await.unwrap();
        self.pool.notify(&staged);
        ids
    }

    pub(super) fn stage(
        &self,
        batch: &mut Batch,
        origin: &Origin,
        webhooks: &[Arc<Webhook>],
        events: &[NewEvent],
    ) -> (Staged, Vec<DeliveryId>) {
        let mut ids = Vec::new();
        let mut kinds = events.iter().map(|event| event.kind);
        let staged = stage_events(batch, origin, webhooks, events, || {
            let (id, kind) =
                (self.store.next_id_in(ids::EVENT, SELLER.shard()), kinds.next().unwrap());
            let heard = webhooks.iter().filter(|webhook| webhook.subscribes_to(kind)).count();
            ids.extend((0..heard).map(|place| delivery_id(EventId(id), place)));
            id
        });
        (staged.unwrap(), ids)
    }

    pub(super) fn origin(&self) -> Origin {
        let object = EventObject { kind: ObjectKind::Contract, id: 1 };
        Origin { seller: SELLER, object, now: self.clock.now(), epoch: self.store.epoch() }
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
        self.find(id).expect("a delivery")
    }

    pub(super) fn find(&self, id: DeliveryId) -> Option<Delivery> {
        delivery(&self.store, SELLER, id).unwrap()
    }

    pub(super) fn count_deliveries(&self) -> usize {
        self.store.scan(DELIVERIES, Scan::all()).count()
    }

    pub(super) fn count_events(&self) -> usize {
        self.store.scan(EVENTS, Scan::all()).count()
    }

    /// Up to which event all deliveries are on disk.
    pub(super) fn cursor(&self) -> u64 {
        self.store.get(EXPANDED, &SELLER).unwrap().unwrap_or(0)
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
        let stands = |id: &DeliveryId| self.find(*id).is_some_and(|found| found.status == status);
        until(|| ids.iter().all(stands)).await;
    }

    pub(super) async fn until_attempts(&self, id: DeliveryId, attempts: u32) {
        until(|| self.find(id).is_some_and(|found| found.attempts == attempts)).await;
    }
}

/// Loopback is admitted, attempts end soon.
pub(super) fn settings() -> DeliverySettings {
    DeliverySettings {
        timeout: Duration::from_secs(5),
        guard: AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()]),
        grace: Duration::ZERO,
        cursor_pace: Duration::from_millis(20),
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
    destinations: &Destinations,
) -> DeliveryPool {
    let destinations = destinations.clone();
    let lookup: WebhookLookup = Arc::new(move |_, id| {
        let left = destinations.until_panic.fetch_sub(1, Ordering::SeqCst);
        assert_ne!(left, 1, "asked to");
        destinations.by_id.lock().get(&id).cloned().map_or(Found::Gone, Found::Destination)
    });
    let store = store.store().clone();
    let supervisor = Supervisor::start(Health::default()).expect("a supervisor");
    let (clock, settings) = (clock.clone(), settings.clone());
    let secrets = (boxed(), LinkTokens::new(&[9; 32]));
    DeliveryPool::start(store, clock, Entropy, settings, lookup, secrets, &supervisor)
}

/// Waits for a condition, and names the place when it is not met.
#[track_caller]
pub(super) fn until(holds: impl FnMut() -> bool) -> impl Future<Output = ()> {
    let place = std::panic::Location::caller();
    async move { testing::until(&format!("at {place}"), holds).await }
}
