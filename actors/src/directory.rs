//! What every request and every room needs to know of a seller, kept from committed rows: the
//! account, its keys, switches, webhooks, metrics, terminals and split rule. The seller room writes
//! them and lets this cache forget; a reader then reads anew. Nobody sees a state that is not
//! durable. Sessions and people are read anew each time: few ask by them.

mod metrics;
mod snapshot;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use dashmap::DashMap;
use secrecy::SecretString;
use storage::{ReadError, Reads, Scan, Store};

use crate::domain::billing::usage::{Metric, registry};
use crate::domain::ids::{ApiKeyId, SellerId};
use crate::domain::platform::person::{Person, Session, SessionToken};
use crate::domain::platform::seller::{Admission, ApiKeyRecord, KeyHash, Scopes, Seller, admit};
use crate::domain::platform::switches::Switches;
use crate::domain::time::Timestamp;
use crate::query;
use crate::tables::{
    ALLOWLIST, API_KEYS, METRICS, PEOPLE, SELLERS, SESSIONS, SPLIT_RULES, SWITCHES, TERMINALS,
    WEBHOOKS,
};
use metrics::Metrics;

pub use snapshot::{DirectorySettings, SellerSnapshot};

/// The seller under whose id the switches for all sellers are kept.
pub const EVERYONE: SellerId = SellerId(0);

/// How many sellers and keys are kept at most; beyond it the cache starts anew.
const KEPT: usize = 100_000;

#[derive(Clone, Debug)]
pub struct Directory {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    settings: DirectorySettings,
    sellers: DashMap<SellerId, Arc<SellerSnapshot>>,
    /// They outlive the snapshots.
    metrics: DashMap<SellerId, Metrics>,
    keys: DashMap<KeyHash, Arc<KnownKey>>,
    /// Counts what was forgotten, so that a reader who read before does not keep it after.
    forgotten: AtomicU64,
}

/// A key that was used since the start.
#[derive(Debug)]
pub(crate) struct KnownKey {
    pub(crate) record: ApiKeyRecord,
    /// In microseconds.
    last_used: AtomicI64,
    /// Up to which use the rows know it.
    pub(crate) noted: AtomicI64,
}

impl KnownKey {
    pub(crate) fn last_used(&self) -> Timestamp {
        Timestamp::from_micros(self.last_used.load(Ordering::Relaxed))
    }
}

/// Who presents a key.
#[derive(Debug)]
pub struct KeyHolder {
    pub key: ApiKeyId,
    pub admission: Admission,
    pub scopes: Scopes,
    pub seller: Arc<SellerSnapshot>,
}

/// Who presents a session.
#[derive(Debug)]
pub struct SessionHolder {
    /// The hash of the session's token.
    pub session: KeyHash,
    pub person: Person,
    pub seller: Arc<SellerSnapshot>,
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
    ) -> Result<Option<KeyHolder>, ReadError> {
        let Some(key) = self.key(KeyHash::of(presented))? else { return Ok(None) };
        let Some(seller) = self.seller(key.record.seller)? else { return Ok(None) };
        let admission = admit(&key.record, &seller.seller, now);
        if admission == Admission::Ok {
            key.last_used.store(now.micros(), Ordering::Relaxed);
        }
        let (id, scopes) = (key.record.id, key.record.scopes);
        Ok(Some(KeyHolder { key: id, admission, scopes, seller }))
    }

    /// Whose session a token is; `None` when it is over, or its person or account is gone.
    pub fn session(
        &self,
        token: &SessionToken,
        now: Timestamp,
    ) -> Result<Option<SessionHolder>, ReadError> {
        let Some(Session { person: Some(person), .. }) = self.open_session(token, now)? else {
            return Ok(None);
        };
        let Some(seller) = self.seller(token.seller)? else { return Ok(None) };
        let is_over = seller.seller.expires_at.is_some_and(|end| end <= now);
        let Some(person) = self.inner.store.get(PEOPLE, &(token.seller, person))? else {
            return Ok(None);
        };
        Ok((!is_over).then(|| SessionHolder { session: token.hash(), person, seller }))
    }

    /// Whether a token is of a session of the operator, whose own token is `operator`.
    pub fn is_operator(
        &self,
        token: &SessionToken,
        operator: &SecretString,
        now: Timestamp,
    ) -> Result<bool, ReadError> {
        let session = self.open_session(token, now)?.filter(|_| token.seller == EVERYONE);
        Ok(session.is_some_and(|session| session.is_operators(token, operator)))
    }

    fn open_session(
        &self,
        token: &SessionToken,
        now: Timestamp,
    ) -> Result<Option<Session>, ReadError> {
        let session = self.inner.store.get(SESSIONS, &(token.seller, token.hash()))?;
        Ok(session.filter(|session| session.is_open(now)))
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

    /// Forgets a key whose row has changed durably.
    pub(crate) fn forget_key(&self, hash: KeyHash) {
        self.inner.forgotten.fetch_add(1, Ordering::AcqRel);
        self.inner.keys.remove(&hash);
    }

    /// The keys that were used since the start, as far as they are still in memory.
    pub(crate) fn used_keys(&self) -> Vec<Arc<KnownKey>> {
        self.inner.keys.iter().map(|key| Arc::clone(key.value())).collect()
    }

    /// When a key was last used, as far as the memory knows.
    pub(crate) fn last_used(&self, hash: KeyHash) -> Option<Timestamp> {
        let key = self.inner.keys.get(&hash)?;
        Some(key.last_used()).filter(|at| at.micros() > 0)
    }

    /// Takes note of a metric of a seller that is forgotten because of it.
    pub fn metric_changed(&self, id: SellerId, metric: Metric) {
        // First: whoever has read the metrics before either finds this changed, or is found here.
        self.inner.forgotten.fetch_add(1, Ordering::AcqRel);
        if let Some(mut known) = self.inner.metrics.get_mut(&id) {
            known.take(metric);
        }
    }

    pub fn global_switches(&self) -> Result<Switches, ReadError> {
        Ok(self.inner.store.get(SWITCHES, &EVERYONE)?.unwrap_or_default())
    }

    pub fn is_demo_server(&self) -> bool {
        self.inner.settings.demo_server
    }

    fn key(&self, hash: KeyHash) -> Result<Option<Arc<KnownKey>>, ReadError> {
        if let Some(known) = self.inner.keys.get(&hash) {
            return Ok(Some(Arc::clone(&known)));
        }
        let before = self.inner.forgotten.load(Ordering::Acquire);
        let Some(record) = query::opened(&self.inner.store, API_KEYS, hash)? else {
            return Ok(None);
        };
        let key = KnownKey { record, last_used: AtomicI64::new(0), noted: AtomicI64::new(0) };
        let key = Arc::new(key);
        if self.inner.keys.len() >= KEPT {
            self.inner.keys.clear();
        }
        self.inner.keys.insert(hash, Arc::clone(&key));
        if self.inner.forgotten.load(Ordering::Acquire) != before {
            self.inner.keys.remove(&hash);
        }
        Ok(Some(key))
    }

    fn read(&self, id: SellerId) -> Result<Option<SellerSnapshot>, ReadError> {
        let all = Scan::prefix(&(id,));
        let mut reads = Reads::new();
        let seller = reads.get(SELLERS, &id);
        let webhooks = reads.values(WEBHOOKS, all.clone());
        let allowlist = reads.values(ALLOWLIST, all.clone());
        let terminals = reads.values(TERMINALS, all.clone());
        let split_rules = reads.values(SPLIT_RULES, all);
        let (own, global) = (reads.get(SWITCHES, &id), reads.get(SWITCHES, &EVERYONE));
        let mut found = self.inner.store.read(&reads)?;
        let Some(seller) = found.take(seller)? else { return Ok(None) };
        let split_rules = found.take(split_rules)?;
        Ok(Some(SellerSnapshot {
            metrics: self.metrics(&seller)?,
            seller,
            webhooks: found.take(webhooks)?.into_iter().map(Arc::new).collect(),
            allowlist: found.take(allowlist)?.into_iter().map(|entry| entry.cidr).collect(),
            terminals: found.take(terminals)?,
            split_rule: query::active_split_rule(&self.inner.store, split_rules)?,
            own: found.take(own)?.unwrap_or_default(),
            global: found.take(global)?.unwrap_or_default(),
            settings: self.inner.settings,
        }))
    }

    fn metrics(&self, seller: &Seller) -> Result<Metrics, ReadError> {
        if let Some(known) = self.inner.metrics.get(&seller.id) {
            return Ok(known.clone());
        }
        let before = self.inner.forgotten.load(Ordering::Acquire);
        let mut all = Metrics::default();
        all.take(registry::seat_metric(seller.created_at));
        // The versions of a name come in order: the last one is the current one.
        for row in self.inner.store.scan(METRICS, Scan::prefix(&(seller.id,))) {
            all.take(row?.1);
        }
        self.inner.metrics.insert(seller.id, all.clone());
        if self.inner.forgotten.load(Ordering::Acquire) != before {
            self.inner.metrics.remove(&seller.id);
        }
        Ok(all)
    }
}
