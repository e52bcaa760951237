//! Sellers' logos for hosted pages: fetched once from where the seller keeps them, and served
//! from here, so that a buyer's browser contacts no other host.
//!
//! [`Logos`] alone writes their rows. Of one logo there is one fetch at a time; the result is kept
//! for a day, a failure for some minutes. A seller keeps a bounded number of them, and what no open
//! checkout has named for a day is deleted.

mod fetch;
mod shelf;

use std::sync::Arc;
use std::time::Duration;

use dashmap::DashMap;
use sha2::{Digest, Sha256};
use storage::{Batch, Store};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::clock::Clock;
use crate::domain::ids::SellerId;
use crate::domain::payments::logo::Image;
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::queue::{BEAT, Pulse, Supervisor};

pub const MAX_LOGO_BYTES: usize = 512 * 1024;

/// How often logos that are over are looked for.
const CLEARED_EVERY: Duration = Duration::from_secs(3600);

/// How long the clearing may be silent before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// A logo by the hash of its address.
pub type LogoKey = [u8; 16];

#[derive(Clone, Debug)]
pub struct Logos {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    store: Store,
    clock: Clock,
    guard: AddressGuard,
    /// Whose turn it is to fetch a logo, and when one found no place to look its host up in.
    under_way: DashMap<(SellerId, LogoKey), Arc<Mutex<Option<Instant>>>>,
}

impl Logos {
    /// Logos in `store`, fetched from addresses that `guard` admits.
    pub fn new(store: Store, clock: Clock, guard: AddressGuard) -> Self {
        Self { inner: Arc::new(Inner { store, clock, guard, under_way: DashMap::new() }) }
    }

    /// Deletes logos that are over, as long as the program runs.
    pub fn start(&self, supervisor: &Supervisor) {
        let logos = self.clone();
        supervisor.run("logos", PATIENCE, move |pulse| {
            let logos = logos.clone();
            async move { logos.keep_clear(pulse).await }
        });
    }

    /// The logo at `url`, fetched unless it is stored; `None` when it could not be fetched. A
    /// caller who goes away ends a fetch that only it waits for.
    pub async fn get(&self, seller: SellerId, mode: Mode, url: &WebhookUrl) -> Option<Image> {
        let key = (seller, key_of(url));
        if let Some(image) = self.stored(key).await {
            return image;
        }
        let turn = self.inner.under_way.entry(key).or_default().clone();
        let came = Instant::now();
        let mut found_no_place = turn.lock().await;
        let image = match self.stored(key).await {
            Some(image) => image,
            // Who has waited behind that one does not wait as long once more.
            None if found_no_place.is_some_and(|at| came < at) => None,
            None => {
                let fetched = self.fetch(key, mode, url).await;
                if fetched.is_none() {
                    *found_no_place = Some(Instant::now());
                }
                fetched.flatten()
            }
        };
        drop(found_no_place);
        self.inner.under_way.remove_if(&key, |_, turn| Arc::strong_count(turn) <= 2);
        image
    }

    async fn stored(&self, key: (SellerId, LogoKey)) -> Option<Option<Image>> {
        let store = self.inner.store.clone();
        let (logo, image) = match tokio::task::spawn_blocking(move || shelf::read(&store, key))
            .await
        {
            Ok(Ok(logo)) => logo?,
            Ok(Err(error)) => {
                tracing::error!(%error, seller = %key.0, "a stored logo of a seller cannot be read");
                return None;
            }
            Err(_) => return None,
        };
        logo.is_good(self.inner.clock.now()).then_some(image)
    }

    /// What was fetched is stored, and so is that it could not be; `None` where it was not tried.
    async fn fetch(
        &self,
        key: (SellerId, LogoKey),
        mode: Mode,
        url: &WebhookUrl,
    ) -> Option<Option<Image>> {
        let Some(place) = fetch::place(key.0, url).await else {
            tracing::info!(seller = %key.0, "there is no place to look the host of a logo up in");
            return None;
        };
        let image = match fetch::fetch(&self.inner.guard, mode, url, place).await {
            Ok(image) => Some(image),
            Err(why) => {
                tracing::info!(seller = %key.0, why, "a logo of a seller could not be fetched");
                None
            }
        };
        let (store, now, kept) = (self.inner.store.clone(), self.inner.clock.now(), image.clone());
        let put = move || shelf::put(&store, key, kept.as_ref(), now);
        let stored = match tokio::task::spawn_blocking(put).await {
            Ok(Ok(batch)) => self.write(batch).await,
            Ok(Err(error)) => Err(error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Err(error) = stored {
            tracing::error!(%error, seller = %key.0, "a logo of a seller could not be stored");
        }
        Some(image)
    }

    /// Deletes all logos that are over: those that no open checkout has named for a day.
    pub async fn clear(&self) -> Result<(), String> {
        let mut after = None;
        loop {
            let (store, now) = (self.inner.store.clone(), self.inner.clock.now());
            let stride =
                tokio::task::spawn_blocking(move || shelf::clear(&store, after, now)).await;
            let (batch, next) =
                stride.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
            if !batch.is_empty() {
                self.write(batch).await?;
            }
            match next {
                Some(place) => after = Some(place),
                None => return Ok(()),
            }
        }
    }

    async fn write(&self, batch: Batch) -> Result<(), String> {
        self.inner.store.write(batch).await.map(|_| ()).map_err(|error| error.to_string())
    }

    async fn keep_clear(&self, pulse: Pulse) {
        let mut cleared = None;
        loop {
            pulse.beat();
            if cleared.is_none_or(|at: Instant| at.elapsed() >= CLEARED_EVERY) {
                if let Err(error) = self.clear().await {
                    tracing::error!(error, "logos that are over could not be deleted");
                }
                cleared = Some(Instant::now());
            }
            tokio::time::sleep(BEAT).await;
        }
    }
}

fn key_of(url: &WebhookUrl) -> LogoKey {
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(url.as_str().as_bytes())[..16]);
    key
}

#[cfg(test)]
mod tests;
