//! Rate limits: budgets of sellers, daily write quotas, and limits of client addresses.
//!
//! Everything is decided in memory. A bucket that is full is dropped: a missing one is full.
//! Quota counts outlive a restart: they are read from the store at a seller's first use and
//! written in the background, at most once a second.

mod buckets;
mod logins;
mod quotas;
mod window;
mod writer;

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use storage::{ReadError, Scan, Store};

use crate::clock::Clock;
use crate::domain::ids::SellerId;
use crate::domain::platform::limits::{
    AddressKind, Budget, MINT_SECONDS, QuotaKind, QuotaVerdict, Surface, Verdict,
    WRONG_TOKEN_SECONDS, client,
};
use crate::domain::time::Timestamp;
use crate::queue::Supervisor;
use crate::tables::{MINTS, QUOTA_COUNTS};
use buckets::Buckets;
use logins::Logins;
use quotas::Quotas;
pub use window::TooManyAttempts;
use window::Window;

/// The limiter cannot answer. Requests that only a rate budget guards pass without headers;
/// writes that a quota guards are answered `503` with `Retry-After`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the limiter cannot be reached")]
pub struct Unreachable;

impl Unreachable {
    pub const RETRY_AFTER_SECONDS: u64 = 5;
}

/// All limits of a running server. Clones are the same limiter.
///
/// After a crash the quotas miss at most what was counted in the last second, and while the
/// write before it was under way; after [`close`](Limiter::close) they miss nothing.
#[derive(Clone)]
pub struct Limiter {
    state: Arc<State>,
}

struct State {
    store: Store,
    clock: Clock,
    sellers: Buckets<(SellerId, Surface)>,
    pages: Buckets<IpAddr>,
    mints: Window<IpAddr>,
    wrong_tokens: Window<IpAddr>,
    logins: Logins,
    quotas: Quotas,
    failing: AtomicBool,
    #[cfg(feature = "faults")]
    cut_off: AtomicBool,
}

impl Limiter {
    /// A limiter that keeps its quota counts in `store`, with a worker that writes them and drops
    /// what is idle by `clock`.
    pub fn open(store: Store, clock: Clock, supervisor: &Supervisor) -> Self {
        let state = Arc::new(State {
            store,
            clock,
            sellers: Buckets::default(),
            pages: Buckets::default(),
            mints: Window::of(MINT_SECONDS),
            wrong_tokens: Window::of(WRONG_TOKEN_SECONDS),
            logins: Logins::default(),
            quotas: Quotas::default(),
            failing: AtomicBool::new(false),
            #[cfg(feature = "faults")]
            cut_off: AtomicBool::new(false),
        });
        let written = Arc::clone(&state);
        supervisor.run("limiter", writer::PATIENCE, move |pulse| {
            writer::run(Arc::clone(&written), pulse)
        });
        Self { state }
    }

    pub fn request(
        &self,
        seller: SellerId,
        surface: Surface,
        budget: Budget,
        now: Timestamp,
    ) -> Result<Verdict, Unreachable> {
        self.state.connected()?;
        Ok(self.state.sellers.take((seller, surface), budget, now))
    }

    /// Counts a write of `seller` against `per_day`, whether or not it succeeds afterwards. A write
    /// that the quota itself refuses is not counted. 0 is unmetered and always answered; all else
    /// is [`Unreachable`] while the counts cannot be read or written.
    pub async fn quota(
        &self,
        seller: SellerId,
        kind: QuotaKind,
        per_day: u32,
        now: Timestamp,
    ) -> Result<QuotaVerdict, Unreachable> {
        if per_day == 0 {
            return Ok(QuotaVerdict::Unmetered);
        }
        self.state.connected()?;
        if self.state.failing.load(Ordering::Acquire) {
            return Err(Unreachable);
        }
        let key = (seller, kind.tag());
        if let Some(verdict) = self.state.quotas.take(key, per_day, now) {
            return Ok(verdict);
        }
        let store = self.state.store.clone();
        let stored = tokio::task::spawn_blocking(move || store.get(QUOTA_COUNTS, &key))
            .await
            .map_err(|_| Unreachable)?
            .map_err(|error| {
                tracing::error!(%error, %seller, "the quota counts of a seller cannot be read, its writes are refused");
                Unreachable
            })?;
        Ok(self.state.quotas.take_loaded(key, stored.unwrap_or_default(), per_day, now))
    }

    /// Counts a request of a client address; `per_period` is for an hour or a minute, as `kind`
    /// says, and 0 turns the limit off. Pages drip; of what there are few, no hour or minute has
    /// more than so many. IPv6 addresses count by their /64, which one client holds as a whole.
    pub fn address(
        &self,
        kind: AddressKind,
        address: IpAddr,
        per_period: u32,
        now: Timestamp,
    ) -> Result<Result<(), TooManyAttempts>, Unreachable> {
        self.state.connected()?;
        let State { pages, mints, wrong_tokens, .. } = &*self.state;
        let (client, most) = (client(address), usize::try_from(per_period).unwrap_or(usize::MAX));
        Ok(match kind {
            _ if per_period == 0 => Ok(()),
            AddressKind::Page => match pages.take(client, Budget::of_pages(per_period), now) {
                Verdict::Refused { retry_after_seconds, .. } => {
                    Err(TooManyAttempts { retry_after_seconds })
                }
                Verdict::Admitted(_) | Verdict::Unmetered => Ok(()),
            },
            AddressKind::SandboxMint => mints.take(client, most, now),
            AddressKind::WrongToken => wrong_tokens.take(client, most, now),
        })
    }

    /// Counts an attempt to sign in with an e-mail in lower case, before its password is looked
    /// at: 10 failed ones of an e-mail and address in 15 minutes, 10 of an address in a minute.
    pub fn begin_login(
        &self,
        email: &str,
        address: IpAddr,
        now: Timestamp,
    ) -> Result<(), TooManyAttempts> {
        self.state.logins.begin(email, client(address), now)
    }

    /// Takes back an attempt that began at `begun`: its password was right.
    pub fn login_succeeded(&self, email: &str, address: IpAddr, begun: Timestamp) {
        self.state.logins.take_back(email, client(address), begun);
    }

    /// Counts the sandbox accounts again that an earlier run has minted: a restart lets nobody
    /// mint more than `per_hour`.
    pub fn recall_mints(&self, per_hour: u32) -> Result<(), ReadError> {
        let since = self.state.clock.now().plus_seconds(-MINT_SECONDS);
        for row in self.state.store.scan(MINTS, Scan::all().from(&(since,))) {
            let ((at, _), address) = row?;
            if let Ok(address) = address.parse() {
                let _ = self.address(AddressKind::SandboxMint, address, per_hour, at);
            }
        }
        Ok(())
    }

    /// Writes what is not written yet. To be called when the worker has been stopped, before the
    /// store is closed.
    pub async fn close(&self) {
        while self.state.write_some().await {}
    }

    #[cfg(feature = "faults")]
    pub fn cut_off(&self, off: bool) {
        self.state.cut_off.store(off, Ordering::Release);
    }
}

impl State {
    #[cfg(feature = "faults")]
    fn connected(&self) -> Result<(), Unreachable> {
        if self.cut_off.load(Ordering::Acquire) { Err(Unreachable) } else { Ok(()) }
    }

    #[cfg(not(feature = "faults"))]
    fn connected(&self) -> Result<(), Unreachable> {
        Ok(())
    }
}

impl fmt::Debug for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limiter").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
