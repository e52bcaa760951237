//! Who has sent an operation, and how much it asks for.

use std::sync::atomic::{AtomicUsize, Ordering};

use actors::domain::platform::seller::SellerStatus;
use async_graphql::Error;
use hyper::StatusCode;

use super::call::refused;
use crate::gate::Behalf;

/// Routes that one operation may ask.
const MOST_ASKED: usize = 50;

pub(super) struct Asker {
    pub(super) by: Behalf,
    asked: AtomicUsize,
}

impl Asker {
    pub(super) fn new(by: Behalf) -> Self {
        Self { by, asked: AtomicUsize::new(0) }
    }

    pub(super) fn count(&self) -> Result<(), Error> {
        if self.asked.fetch_add(1, Ordering::Relaxed) < MOST_ASKED {
            return Ok(());
        }
        let text = format!("an operation asks for at most {MOST_ASKED} fields of its root");
        Err(refused(StatusCode::BAD_REQUEST, &text))
    }

    /// An account that waits to be opened can be looked at.
    pub(super) fn may_write(&self) -> bool {
        let found = self.by.app.directory.seller(self.by.seller).ok().flatten();
        found.is_some_and(|seller| seller.seller.status == SellerStatus::Active)
    }
}
