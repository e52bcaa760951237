//! What the server takes on at once: requests that handlers are busy with, uploads, and memory for
//! bodies and for answers. What comes on top is answered `503` with `Retry-After`.

use std::net::IpAddr;
use std::sync::Arc;

use actors::domain::ids::SellerId;
use actors::domain::platform::limits::client;
use hyper::Method;
use storage::Store;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::policy::Surface;
use super::{Route, limits};
use crate::app::App;
use crate::http::budget::{Budget, Share, Spent};
use crate::http::{ApiError, Response};

/// Uploads that may be on their way: in all, and of a seller. A client has at most a quarter of
/// them, however many sellers it is.
const UPLOADS: usize = 64;
const UPLOADS_OF_ONE: usize = 8;

/// Memory for large answers of the operations surface, whatever waits of others: figures are
/// wanted most when a server is full.
const FIGURES_BYTES: usize = 16 * MIB;

/// Seconds after which an upload or two have come.
const RETRY_SECONDS: u32 = 5;

const MIB: usize = 1024 * 1024;

/// How much a server takes on at once; what comes on top is answered `503` with `Retry-After`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Open connections; a further one is told so and closed.
    pub connections: usize,
    /// Requests that handlers are busy with. Health and figures are always answered.
    pub in_flight: usize,
    /// Batches waiting for the disk, beyond which no more writes are taken: about a second of it.
    pub commit_backlog: usize,
}

impl Default for Capacity {
    fn default() -> Self {
        Self { connections: 4_096, in_flight: 2_048, commit_backlog: 8_192 }
    }
}

impl Capacity {
    /// The usual, as far as the system lets there be so many connections.
    pub fn with_connections(most: usize) -> Self {
        let usual = Self::default();
        Self { connections: usual.connections.min(most), ..usual }
    }
}

/// What is taken on now.
pub(super) struct Admitted {
    in_flight: Arc<Semaphore>,
    /// Batches waiting for the disk, beyond which no more writes are taken.
    commit_backlog: usize,
    bodies: Arc<Budget<IpAddr>>,
    answers: Arc<Budget<IpAddr>>,
    figures: Arc<Budget<IpAddr>>,
    uploads: Arc<Budget<SellerId>>,
    uploads_by_client: Arc<Budget<IpAddr>>,
}

impl Admitted {
    pub(super) fn new(capacity: Capacity, app: &App) -> Self {
        let body_mib = app.settings.limits.body_mib;
        Self {
            in_flight: Arc::new(Semaphore::new(capacity.in_flight)),
            commit_backlog: capacity.commit_backlog,
            bodies: Budget::in_quarters(body_mib as usize * MIB),
            answers: app.answers.clone(),
            figures: Budget::in_quarters(FIGURES_BYTES),
            uploads: Budget::new(UPLOADS, UPLOADS_OF_ONE),
            uploads_by_client: Budget::in_quarters(UPLOADS),
        }
    }

    /// Goes on if the server has a hand free for a request that is still to send its body, and its
    /// client takes what it is answered.
    pub(super) fn check(&self, route: &Route, peer: IpAddr, store: &Store) -> Result<(), ApiError> {
        if !self.has_hand(route, store) {
            return Err(ApiError::busy());
        }
        if route.surface() != Surface::Operations && !self.answers.is_open(client(peer)) {
            return Err(limits::too_many_answers("try again"));
        }
        Ok(())
    }

    fn has_hand(&self, route: &Route, store: &Store) -> bool {
        route.surface() == Surface::Operations
            || (self.in_flight.available_permits() > 0
                && !(route.writes() && store.backlog() > self.commit_backlog))
    }

    /// Leave to begin, unless the server has its hands full.
    pub(super) fn begin(
        &self,
        route: &Route,
        store: &Store,
    ) -> Result<Option<OwnedSemaphorePermit>, ApiError> {
        if route.surface() == Surface::Operations {
            return Ok(None);
        }
        if !self.has_hand(route, store) {
            return Err(ApiError::busy());
        }
        self.in_flight.clone().try_acquire_owned().map(Some).map_err(|_| ApiError::busy())
    }

    /// A place for an upload of `seller` from the client at `peer`.
    pub(super) fn upload(
        &self,
        seller: SellerId,
        peer: IpAddr,
    ) -> Result<(Share<SellerId>, Share<IpAddr>), ApiError> {
        let mut place = self.uploads.share(seller);
        let mut of_client = self.uploads_by_client.share(client(peer));
        place.grow(1).and_then(|()| of_client.grow(1)).map_err(|Spent| {
            ApiError::unavailable("too many uploads are under way, try again", RETRY_SECONDS)
        })?;
        Ok((place, of_client))
    }

    /// Memory for a body of the client at `peer`, none of it taken yet.
    pub(super) fn body(&self, peer: IpAddr) -> Share<IpAddr> {
        self.bodies.share(client(peer))
    }

    /// The answer with memory to wait in until the client at `peer` has taken it; a small one
    /// needs none.
    pub(super) fn keep(
        &self,
        route: &Route,
        peer: IpAddr,
        answer: Response,
    ) -> Result<Response, ApiError> {
        let Some(bytes) = answer.weight() else { return Ok(answer) };
        let budget = match route.surface() {
            Surface::Operations => &self.figures,
            _ => &self.answers,
        };
        let mut share = budget.share(client(peer));
        match share.grow(bytes) {
            Ok(()) => Ok(answer.within(share)),
            Err(Spent) if route.method() == Method::GET => {
                Err(limits::too_many_answers("try again"))
            }
            Err(Spent) => Err(limits::too_many_answers(limits::MAY_BE_DONE)),
        }
    }
}
