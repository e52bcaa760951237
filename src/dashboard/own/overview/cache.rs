//! Overviews that were made lately, and whose turn it is to have one made.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::billing::overview::Overview;
use actors::domain::ids::SellerId;
use actors::domain::time::Timestamp;
use dashmap::DashMap;
use tokio::sync::{Mutex, Semaphore};
use tokio::time::{Instant, timeout_at};

use crate::http::ApiError;

/// How long an overview is shown again.
const KEPT_SECONDS: i64 = 30;

/// How long none is tried of a seller of whom it took too long.
const GIVEN_UP_SECONDS: u32 = 300;

/// Sellers of whom one is kept before those that are too old are let go.
const TIDY_ABOVE: usize = 1_024;

/// Passes at once over the rows of sellers.
const AT_ONCE: usize = 2;

/// Passes beside them over the rows of sellers of whom one took too long.
const OF_LARGE_AT_ONCE: usize = 1;

/// How long a turn is waited for.
const WAITS: Duration = Duration::from_secs(12);

/// The overviews that were made lately.
#[derive(Clone)]
pub struct Overviews {
    kept: Arc<DashMap<SellerId, Place>>,
    turns: Arc<Semaphore>,
    /// Sellers who were given up wait for each other, and nobody else for them.
    turns_of_large: Arc<Semaphore>,
    waits: Duration,
}

/// Held while the overview of its seller is made: a seller takes one turn at a time.
type Place = Arc<Mutex<Option<Cached>>>;

/// What came of the last pass.
struct Cached {
    at: Timestamp,
    months: usize,
    /// None where it took too long.
    overview: Option<Arc<Overview>>,
}

/// An overview, and when it was made.
pub(super) struct Made {
    pub(super) at: Timestamp,
    pub(super) overview: Arc<Overview>,
}

impl Default for Overviews {
    fn default() -> Self {
        Self::new(WAITS)
    }
}

impl Overviews {
    fn new(waits: Duration) -> Self {
        Self {
            kept: Arc::default(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            turns_of_large: Arc::new(Semaphore::new(OF_LARGE_AT_ONCE)),
            waits,
        }
    }

    /// The overview of a seller, as fresh as is asked for; `make` makes another, or none where that
    /// takes too long.
    pub(super) async fn of(
        &self,
        seller: SellerId,
        months: usize,
        now: Timestamp,
        make: impl Future<Output = Result<Option<Overview>, ApiError>>,
    ) -> Result<Made, ApiError> {
        let until = Instant::now() + self.waits;
        self.tidy(now);
        let place = Arc::clone(&self.kept.entry(seller).or_default());
        let mut place = timeout_at(until, place.lock()).await.map_err(|_| ApiError::busy())?;
        if let Some(kept) = place.as_ref().filter(|kept| kept.answers(months, now)) {
            return kept.made();
        }
        let is_large = place.as_ref().is_some_and(|kept| kept.overview.is_none());
        let turns = if is_large { &self.turns_of_large } else { &self.turns };
        let turn = timeout_at(until, turns.acquire()).await.map_err(|_| ApiError::busy())?;
        let _turn = turn.map_err(|closed| ApiError::internal(&closed))?;
        let overview = make.await?.map(Arc::new);
        place.insert(Cached { at: now, months, overview }).made()
    }

    fn tidy(&self, now: Timestamp) {
        if self.kept.len() > TIDY_ABOVE {
            self.kept.retain(|_, place| match place.try_lock() {
                Ok(kept) => kept.as_ref().is_some_and(|kept| kept.is_fresh(now)),
                Err(_) => true,
            });
        }
    }
}

impl Cached {
    fn is_fresh(&self, now: Timestamp) -> bool {
        let seconds = match self.overview {
            Some(_) => KEPT_SECONDS,
            None => i64::from(GIVEN_UP_SECONDS),
        };
        now < self.at.plus_seconds(seconds)
    }

    /// Whether it is what an overview of so many months would come to. What took too long takes
    /// no less for more months.
    fn answers(&self, months: usize, now: Timestamp) -> bool {
        let of_as_many = match self.overview {
            Some(_) => self.months == months,
            None => self.months <= months,
        };
        of_as_many && self.is_fresh(now)
    }

    fn made(&self) -> Result<Made, ApiError> {
        let Some(overview) = &self.overview else {
            let text = "the account is too large for an overview";
            return Err(ApiError::unavailable(text, GIVEN_UP_SECONDS));
        };
        Ok(Made { at: self.at, overview: Arc::clone(overview) })
    }
}
