//! When keys were last used. A request only notes it in memory; a worker writes it down once a
//! minute, for the keys that were used since. A crash forgets the last minute.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use storage::{Batch, CommitError, ReadError, Scan, Store};

use crate::directory::{Directory, KnownKey};
use crate::domain::ids::SellerId;
use crate::domain::platform::seller::ApiKeyEntry;
use crate::domain::time::Timestamp;
use crate::queue::{Pulse, Supervisor};
use crate::tables::{KEY_USES, SELLER_KEYS};

const ROUND: Duration = Duration::from_secs(60);
/// How long it may be silent.
const PATIENCE: Duration = Duration::from_secs(30);
const ROWS_OF_A_BATCH: usize = 256;

/// A key as its seller's people see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedKey {
    pub entry: ApiKeyEntry,
    /// Within a minute after a crash.
    pub last_used_at: Option<Timestamp>,
}

#[derive(Clone)]
pub struct KeyUses {
    store: Store,
    directory: Directory,
}

impl KeyUses {
    pub fn new(store: Store, directory: Directory) -> Self {
        Self { store, directory }
    }

    pub fn start(&self, supervisor: &Supervisor) {
        let own = self.clone();
        supervisor.run("key uses", PATIENCE, move |pulse| own.clone().run(pulse));
    }

    /// The keys of a seller, oldest first.
    pub fn list(&self, seller: SellerId) -> Result<Vec<ListedKey>, ReadError> {
        let entries = self.store.scan(SELLER_KEYS, Scan::prefix(&(seller,))).values()?;
        entries.into_iter().map(|entry| self.listed(seller, entry)).collect()
    }

    /// A key with its last use.
    pub fn listed(&self, seller: SellerId, entry: ApiKeyEntry) -> Result<ListedKey, ReadError> {
        let written = self.store.get(KEY_USES, &(seller, entry.id))?;
        let written = written.and_then(|micros| i64::try_from(micros).ok());
        let written = written.map(Timestamp::from_micros);
        let last_used_at = written.max(self.directory.last_used(entry.hash));
        Ok(ListedKey { entry, last_used_at })
    }

    async fn run(self, pulse: Pulse) {
        loop {
            pulse.rest(ROUND).await;
            self.write().await;
        }
    }

    /// Writes what is not written yet.
    pub async fn write(&self) {
        let used = self.directory.used_keys();
        let fresh: Vec<Arc<KnownKey>> = used
            .into_iter()
            .filter(|key| key.last_used().micros() > key.noted.load(Ordering::Relaxed))
            .collect();
        for keys in fresh.chunks(ROWS_OF_A_BATCH) {
            let uses: Vec<(&KnownKey, i64)> =
                keys.iter().map(|key| (&**key, key.last_used().micros())).collect();
            let mut batch = Batch::new();
            for (key, at) in &uses {
                // A key that was revoked meanwhile has no place any more.
                let place = (key.record.seller, key.record.id);
                if self.store.contains(SELLER_KEYS, &place).unwrap_or(false) {
                    batch.put(KEY_USES, &place, &at.unsigned_abs());
                }
            }
            match self.store.write(batch).await {
                Ok(_) => uses.iter().for_each(|(key, at)| key.noted.store(*at, Ordering::Relaxed)),
                Err(CommitError::Closed) => return,
                Err(error) => {
                    tracing::error!(%error, "the last uses of keys cannot be written");
                    return;
                }
            }
        }
    }
}
