//! sled syncs once more when the last of its handles is dropped, and panics when that fails. All
//! that was acknowledged is durable already.

use std::ops::Deref;

use sled::Db;

use crate::fatal::quietly_guarded;

/// An open sled that is let go of without a panic.
pub(super) struct Handle(Option<Db>);

impl Handle {
    pub(super) fn new(db: Db) -> Self {
        Self(Some(db))
    }

    pub(super) fn another(&self) -> Self {
        Self(self.0.clone())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let db = self.0.take();
        if let Err(panicked) = quietly_guarded(|| drop(db)) {
            tracing::warn!(panicked, "the engine did not close cleanly");
        }
    }
}

impl Deref for Handle {
    type Target = Db;

    fn deref(&self) -> &Db {
        // It is there until this is dropped.
        self.0.as_ref().unwrap_or_else(|| unreachable!("a handle is used behind its end"))
    }
}
