//! Who has sent an operation, and how much it asks for.

use std::sync::atomic::{AtomicUsize, Ordering};

use actors::domain::platform::seller::SellerStatus;
use async_graphql::Error;
use hyper::StatusCode;

use super::call::refused;
use crate::gate::{Behalf, Surface, limits};

/// Routes that one operation may ask.
const MOST_ASKED: usize = 50;
/// What routes answer to an operation and what is made of it, in bytes: a full page with all that
/// is in it, and a half more.
const MOST_ANSWERED: usize = 24 * 1024 * 1024;
/// Why an operation is refused whose answer would be larger.
pub(super) const TOO_LARGE: &str = "the answer would be too large: ask for less of it at once, or for \
     smaller pages; mutations up to here are carried out";

pub(super) struct Asker {
    pub(super) by: Behalf,
    asked: AtomicUsize,
    answered: AtomicUsize,
}

impl Asker {
    pub(super) fn new(by: Behalf) -> Self {
        Self { by, asked: AtomicUsize::new(0), answered: AtomicUsize::new(0) }
    }

    /// Counts a field of the root. The request itself has paid for the first one; the others take
    /// from the same budget of the account.
    pub(super) fn count(&self) -> Result<(), Error> {
        let before = self.asked.fetch_add(1, Ordering::Relaxed);
        if before >= MOST_ASKED {
            let text = format!("an operation asks for at most {MOST_ASKED} fields of its root");
            return Err(refused(StatusCode::BAD_REQUEST, &text));
        }
        if self.is_beyond_room() {
            return Err(refused(StatusCode::BAD_REQUEST, TOO_LARGE));
        }
        let account = self.by.app.directory.seller(self.by.seller).ok().flatten();
        let Some(account) = account.filter(|_| before > 0) else { return Ok(()) };
        let (app, now) = (&self.by.app, self.by.app.clock.now());
        let (_, counted) = limits::request(app, Surface::Dashboard, &account.seller, now);
        counted.map_err(|error| refused(error.status(), error.text()))
    }

    /// Counts bytes of what is answered. Once they are too many no field has a value any more.
    pub(super) fn has_room_for(&self, bytes: usize) -> bool {
        self.answered.fetch_add(bytes, Ordering::Relaxed) + bytes <= MOST_ANSWERED
    }

    pub(super) fn is_beyond_room(&self) -> bool {
        self.answered.load(Ordering::Relaxed) > MOST_ANSWERED
    }

    /// An account that waits to be opened can be looked at.
    pub(super) fn may_write(&self) -> bool {
        let found = self.by.app.directory.seller(self.by.seller).ok().flatten();
        found.is_some_and(|seller| seller.seller.status == SellerStatus::Active)
    }
}
