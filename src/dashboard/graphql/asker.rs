//! Who has sent an operation, under which key, and how much it asks for.

use std::sync::atomic::{AtomicUsize, Ordering};

use actors::domain::platform::limits::{Standing, client};
use actors::domain::platform::seller::SellerStatus;
use async_graphql::Error;
use hyper::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use super::call::{refusal, refused};
use super::tally::Tally;
use crate::gate::{Behalf, Surface, limits};

/// Routes that one operation may ask.
const MOST_ASKED: usize = 50;
/// Why an operation is refused whose answer would be larger.
pub(super) const TOO_LARGE: &str = "the answer would be too large: ask for less of it at once, or for \
     smaller pages; mutations up to here are carried out";

pub(super) struct Asker {
    pub(super) by: Behalf,
    /// The idempotency key of the operation.
    key: Option<String>,
    asked: AtomicUsize,
    /// Where the account stood when a field was counted last.
    standing: Mutex<Option<Standing>>,
    pub(super) answered: Tally,
}

impl Asker {
    pub(super) fn new(by: Behalf, key: Option<String>) -> Self {
        let answered = Tally::new(by.app.answers.share(client(by.client)));
        Self { by, key, asked: AtomicUsize::new(0), standing: Mutex::default(), answered }
    }

    /// The key under which the field of the root that is answered under `name` asks its route: the
    /// same whenever the same person sends the same operation again, and nobody else's. It is a
    /// UUID, since every surface takes that.
    pub(super) fn key_of(&self, name: &str) -> Option<Uuid> {
        let stated = self.key.as_deref()?;
        let digest = Sha256::new()
            .chain_update(b"a field of an operation")
            .chain_update(self.by.seller.0.to_be_bytes())
            .chain_update(self.by.person.id.0.to_be_bytes())
            .chain_update(stated)
            .chain_update([0])
            .chain_update(name)
            .finalize();
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest[..16]);
        Some(Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// Counts a field of the root. The request itself has paid for the first one; the others take
    /// from the same budget of the account.
    pub(super) fn count(&self) -> Result<(), Error> {
        let before = self.asked.fetch_add(1, Ordering::Relaxed);
        if before >= MOST_ASKED {
            let text = format!("an operation asks for at most {MOST_ASKED} fields of its root");
            return Err(refused(StatusCode::BAD_REQUEST, &text));
        }
        if self.answered.is_beyond_room() {
            return Err(refused(StatusCode::BAD_REQUEST, TOO_LARGE));
        }
        let account = self.by.app.directory.seller(self.by.seller).ok().flatten();
        let Some(account) = account.filter(|_| before > 0) else { return Ok(()) };
        let (app, now) = (&self.by.app, self.by.app.clock.now());
        let (standing, counted) = limits::request(app, Surface::Dashboard, &account.seller, now);
        *self.standing.lock() = standing;
        counted.map_err(|error| refusal(error.into()))
    }

    /// Says where the account stands, if more was counted than the request itself.
    pub(super) fn state(&self, headers: &mut HeaderMap) {
        if let Some(standing) = *self.standing.lock() {
            limits::state(standing, headers);
        }
    }

    /// An account that waits to be opened can be looked at.
    pub(super) fn may_write(&self) -> bool {
        let found = self.by.app.directory.seller(self.by.seller).ok().flatten();
        found.is_some_and(|seller| seller.seller.status == SellerStatus::Active)
    }
}
