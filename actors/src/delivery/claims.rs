//! Deliveries that somebody has claimed and not handed on yet.

use super::pool::Pool;
use super::queue::EndpointKey;
use crate::domain::ids::DeliveryId;
use crate::domain::time::Timestamp;

/// Gives back what is claimed when it is dropped, as after a read that failed: nobody else would.
pub(super) struct Claims<'a> {
    pool: &'a Pool,
    held: Vec<(EndpointKey, DeliveryId, Option<Timestamp>)>,
}

impl<'a> Claims<'a> {
    pub(super) fn of(pool: &'a Pool) -> Self {
        Self { pool, held: Vec::new() }
    }

    /// Notes one that was claimed; `due` is when it is to be attempted, if it is.
    pub(super) fn note(&mut self, key: EndpointKey, id: DeliveryId, due: Option<Timestamp>) {
        self.held.push((key, id, due));
    }

    /// They are handed on as they are.
    pub(super) fn keep(mut self) {
        self.held.clear();
    }
}

impl Drop for Claims<'_> {
    fn drop(&mut self) {
        for (key, id, due) in self.held.drain(..) {
            self.pool.with_queue(key, |queue| queue.release(id, due));
        }
    }
}
