//! What every request and every room needs to know of a seller, kept from committed rows: the
//! account, its switches, webhooks, metrics, terminals and split rule. The seller room writes them
//! and lets this cache forget; a reader then reads anew. Nobody sees a state that is not durable.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dashmap::DashMap;
use ipnet::IpNet;
use storage::{ReadError, Scan, Store};

use crate::domain::billing::usage::{Metric, MetricName, registry};
use crate::domain::ids::{SellerId, WebhookId};
use crate::domain::payments::split::SplitRule;
use crate::domain::payments::terminal::Terminal;
use crate::domain::platform::seller::{Admission, ApiKeyRecord, KeyHash, Seller, admit};
use crate::domain::platform::switches::{Switch, Switches, effective};
use crate::domain::platform::webhook::Webhook;
use crate::domain::time::Timestamp;
use crate::query;
use crate::tables::{ALLOWLIST, API_KEYS, METRICS, SELLERS, SWITCHES, TERMINALS, WEBHOOKS};

/// The seller under whose id the switches for all sellers are kept.
pub const EVERYONE: SellerId = SellerId(0);

/// How many sellers and keys are kept at most; beyond it the cache starts anew.
const KEPT: usize = 100_000;

pub type Metrics = BTreeMap<MetricName, Arc<Metric>>;

/// A seller as of the last durable change.
#[derive(Debug)]
pub struct SellerSnapshot {
    pub seller: Seller,
    /// All its webhooks, disabled ones too.
    pub webhooks: Vec<Arc<Webhook>>,
    pub allowlist: Vec<IpNet>,
    /// The current version of each metric, the one of seats too.
    pub metrics: Arc<Metrics>,
    /// All its terminals, disabled ones too.
    pub terminals: Vec<Terminal>,
    pub split_rule: Option<SplitRule>,
    own: Switches,
    global: Switches,
    settings: DirectorySettings,
}

/// What holds for sellers that say nothing themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct DirectorySettings {
    /// Switches that nobody touched are on.
    pub demo_server: bool,
    /// How long usage periods wait for late arrivals.
    pub usage_grace_minutes: u32,
}

impl SellerSnapshot {
    /// The instant by which a usage period has to have ended to be closed at `now`.
    pub fn usage_ended_by(&self, now: Timestamp) -> Timestamp {
        let own = self.seller.usage_grace_minutes;
        let minutes = own.unwrap_or(self.settings.usage_grace_minutes);
        now.plus_seconds(-60 * i64::from(minutes))
    }

    pub fn switch(&self, switch: Switch) -> bool {
        effective(&self.global, &self.own, self.settings.demo_server, switch)
    }

    pub fn webhook(&self, id: WebhookId) -> Option<&Arc<Webhook>> {
        self.webhooks.iter().find(|webhook| webhook.id == id)
    }

    pub fn metric(&self, name: &MetricName) -> Option<&Arc<Metric>> {
        self.metrics.get(name)
    }
}

#[derive(Clone, Debug)]
pub struct Directory {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    settings: DirectorySettings,
    sellers: DashMap<SellerId, Arc<SellerSnapshot>>,
    metrics: DashMap<SellerId, KnownMetrics>,
    keys: DashMap<KeyHash, ApiKeyRecord>,
    /// Counts what was forgotten, so that a reader who read before does not keep it after.
    forgotten: AtomicU64,
}

/// The metrics of a seller, which outlive its snapshots: there may be a thousand.
#[derive(Debug)]
struct KnownMetrics {
    all: Arc<Metrics>,
    /// Those that came since, not yet among them.
    newer: Vec<Metric>,
}

impl Directory {
    pub fn new(store: Store, settings: DirectorySettings) -> Self {
        let inner = Inner {
            store,
            settings,
            sellers: DashMap::new(),
            metrics: DashMap::new(),
            keys: DashMap::new(),
            forgotten: AtomicU64::new(0),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Who holds the key that was presented, and whether they are let in; `None` for a key that
    /// nobody holds.
    pub fn authenticate(
        &self,
        presented: &str,
        now: Timestamp,
    ) -> Result<Option<(Admission, Arc<SellerSnapshot>)>, ReadError> {
        let Some(key) = self.key(KeyHash::of(presented))? else { return Ok(None) };
        let Some(snapshot) = self.seller(key.seller)? else { return Ok(None) };
        Ok(Some((admit(&key, &snapshot.seller, now), snapshot)))
    }

    pub fn seller(&self, id: SellerId) -> Result<Option<Arc<SellerSnapshot>>, ReadError> {
        if let Some(known) = self.inner.sellers.get(&id) {
            return Ok(Some(Arc::clone(&known)));
        }
        let before = self.inner.forgotten.load(Ordering::Acquire);
        let Some(snapshot) = self.read(id)? else { return Ok(None) };
        let snapshot = Arc::new(snapshot);
        if self.inner.sellers.len() >= KEPT {
            self.inner.sellers.clear();
            self.inner.metrics.clear();
        }
        self.inner.sellers.insert(id, Arc::clone(&snapshot));
        if self.inner.forgotten.load(Ordering::Acquire) != before {
            self.inner.sellers.remove(&id);
            self.inner.metrics.remove(&id);
        }
        Ok(Some(snapshot))
    }

    /// Forgets a seller whose rows have changed durably; [`EVERYONE`] forgets all.
    pub fn forget(&self, id: SellerId) {
        self.inner.forgotten.fetch_add(1, Ordering::AcqRel);
        if id == EVERYONE {
            self.inner.sellers.clear();
        } else {
            self.inner.sellers.remove(&id);
        }
    }

    /// Takes note of a metric of a seller that is forgotten because of it.
    pub fn metric_changed(&self, id: SellerId, metric: Metric) {
        if let Some(mut known) = self.inner.metrics.get_mut(&id) {
            known.newer.push(metric);
        }
    }

    pub fn global_switches(&self) -> Result<Switches, ReadError> {
        Ok(self.inner.store.get(SWITCHES, &EVERYONE)?.unwrap_or_default())
    }

    pub fn is_demo_server(&self) -> bool {
        self.inner.settings.demo_server
    }

    fn key(&self, hash: KeyHash) -> Result<Option<ApiKeyRecord>, ReadError> {
        if let Some(known) = self.inner.keys.get(&hash) {
            return Ok(Some(known.clone()));
        }
        let Some(key) = self.inner.store.get(API_KEYS, &hash)? else { return Ok(None) };
        if self.inner.keys.len() >= KEPT {
            self.inner.keys.clear();
        }
        self.inner.keys.insert(hash, key.clone());
        Ok(Some(key))
    }

    fn read(&self, id: SellerId) -> Result<Option<SellerSnapshot>, ReadError> {
        let store = &self.inner.store;
        let Some(seller) = store.get(SELLERS, &id)? else { return Ok(None) };
        let all = Scan::prefix(&(id,));
        let webhooks = store.scan(WEBHOOKS, all.clone()).values()?;
        let allowlist = store.scan(ALLOWLIST, all.clone()).values()?;
        let metrics = self.metrics(&seller)?;
        Ok(Some(SellerSnapshot {
            seller,
            webhooks: webhooks.into_iter().map(Arc::new).collect(),
            allowlist: allowlist.into_iter().map(|entry| entry.cidr).collect(),
            metrics,
            terminals: store.scan(TERMINALS, all).values()?,
            split_rule: query::active_split_rule(store, id)?,
            own: store.get(SWITCHES, &id)?.unwrap_or_default(),
            global: self.global_switches()?,
            settings: self.inner.settings,
        }))
    }

    fn metrics(&self, seller: &Seller) -> Result<Arc<Metrics>, ReadError> {
        if let Some(mut known) = self.inner.metrics.get_mut(&seller.id) {
            let newer = std::mem::take(&mut known.newer);
            if !newer.is_empty() {
                let all = Arc::make_mut(&mut known.all);
                all.extend(newer.into_iter().map(|one| (one.name.clone(), Arc::new(one))));
            }
            return Ok(Arc::clone(&known.all));
        }
        let mut all = Metrics::new();
        let seats = registry::seat_metric(seller.created_at);
        all.insert(seats.name.clone(), Arc::new(seats));
        // The versions of a name come in order: the last one is the current one.
        for row in self.inner.store.scan(METRICS, Scan::prefix(&(seller.id,))) {
            let ((_, name, _), metric) = row?;
            all.insert(name, Arc::new(metric));
        }
        let all = Arc::new(all);
        let known = KnownMetrics { all: Arc::clone(&all), newer: Vec::new() };
        self.inner.metrics.insert(seller.id, known);
        Ok(all)
    }
}
