//! Sellers' logos for hosted pages: fetched once from where the seller keeps them, and served
//! from here, so that a buyer's browser contacts no other host.
//!
//! [`Logos`] alone writes their rows. Of one logo there is one fetch at a time; the result is kept
//! for a day, a failure for some minutes.

mod fetch;

use std::sync::Arc;

use dashmap::DashMap;
use sha2::{Digest, Sha256};
use storage::{Batch, Store};
use tokio::sync::Mutex;

use crate::chunked;
use crate::clock::Clock;
use crate::domain::ids::SellerId;
use crate::domain::payments::logo::{Image, Logo};
use crate::domain::platform::address::AddressGuard;
use crate::domain::platform::seller::Mode;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::time::Timestamp;
use crate::tables::{LOGO_PARTS, LOGOS};

pub const MAX_LOGO_BYTES: usize = 512 * 1024;

/// Seconds until a logo is fetched again.
const KEPT_SECONDS: i64 = 24 * 3600;

/// Seconds until a logo that could not be fetched is tried again.
const FAILED_SECONDS: i64 = 5 * 60;

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
    under_way: DashMap<(SellerId, LogoKey), Arc<Mutex<()>>>,
}

impl Logos {
    /// Logos in `store`, fetched from addresses that `guard` admits.
    pub fn new(store: Store, clock: Clock, guard: AddressGuard) -> Self {
        Self { inner: Arc::new(Inner { store, clock, guard, under_way: DashMap::new() }) }
    }

    /// The logo at `url`, fetched unless it is stored; `None` when it could not be fetched. A
    /// caller who goes away ends a fetch that only it waits for.
    pub async fn get(&self, seller: SellerId, mode: Mode, url: &WebhookUrl) -> Option<Image> {
        let key = (seller, key_of(url));
        if let Some(logo) = self.stored(key).await {
            return logo.image;
        }
        let turn = self.inner.under_way.entry(key).or_default().clone();
        let held = turn.lock().await;
        let logo = match self.stored(key).await {
            Some(logo) => logo,
            None => self.fetch(key, mode, url).await,
        };
        drop(held);
        self.inner.under_way.remove_if(&key, |_, turn| Arc::strong_count(turn) <= 2);
        logo.image
    }

    async fn stored(&self, key: (SellerId, LogoKey)) -> Option<Logo> {
        let store = self.inner.store.clone();
        let read = move || chunked::get(&store, LOGOS, &key, LOGO_PARTS, &key);
        let logo = match tokio::task::spawn_blocking(read).await {
            Ok(Ok(logo)) => logo?,
            Ok(Err(error)) => {
                tracing::error!(%error, seller = %key.0, "a stored logo of a seller cannot be read");
                return None;
            }
            Err(_) => return None,
        };
        (self.inner.clock.now() < good_until(&logo)).then_some(logo)
    }

    async fn fetch(&self, key: (SellerId, LogoKey), mode: Mode, url: &WebhookUrl) -> Logo {
        let image = match fetch::fetch(&self.inner.guard, mode, url).await {
            Ok(image) => Some(image),
            Err(why) => {
                tracing::info!(seller = %key.0, why, "a logo of a seller could not be fetched");
                None
            }
        };
        let logo = Logo { fetched_at: self.inner.clock.now(), image };
        let mut batch = Batch::new();
        chunked::put(&mut batch, LOGOS, &key, LOGO_PARTS, &key, &logo);
        if let Err(error) = self.inner.store.write(batch).await {
            tracing::error!(%error, seller = %key.0, "a logo of a seller could not be stored");
        }
        logo
    }
}

fn good_until(logo: &Logo) -> Timestamp {
    let kept = if logo.image.is_some() { KEPT_SECONDS } else { FAILED_SECONDS };
    logo.fetched_at.plus_seconds(kept)
}

fn key_of(url: &WebhookUrl) -> LogoKey {
    let mut key = [0; 16];
    key.copy_from_slice(&Sha256::digest(url.as_str().as_bytes())[..16]);
    key
}

#[cfg(test)]
mod tests;
