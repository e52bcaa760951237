//! A copy of a room that goes on by itself: it decides as the room does, on what is committed and
//! what it has decided before, and nothing of it is ever written, told or sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use storage::{Batch, Rehearsal};

use super::{Context, Decision, Effects, Room, Rooms};
use crate::directory::SellerSnapshot;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;

/// Ids of what exists in copies alone: above all that are ever drawn, and with as much room above
/// them as the ids of invoices need.
const FIRST_ID: u64 = 1 << 47;

pub struct Fork<R: Room> {
    room: R,
    context: Context<R>,
    rehearsal: Rehearsal,
}

/// What a copy has of its own instead of what all rooms share.
pub(super) struct Own {
    pub(super) seller: Arc<SellerSnapshot>,
    next_id: AtomicU64,
}

impl Own {
    pub(super) fn id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }
}

impl<R: Room> Rooms<R> {
    /// Lets a copy of a room's memory go on by itself, for this seller.
    pub fn fork(&self, id: R::Id, room: R, seller: Arc<SellerSnapshot>) -> Fork<R> {
        let kind = Arc::clone(&self.kind);
        let now = kind.services.clock.now();
        let own = Some(Own { seller, next_id: AtomicU64::new(FIRST_ID) });
        let context = Context { id, kind, in_flight: Arc::default(), now, own };
        Fork { room, context, rehearsal: Rehearsal::default() }
    }
}

impl<R: Room> Fork<R> {
    pub fn room(&mut self) -> &mut R {
        &mut self.room
    }

    /// Lets the copy decide a command at an instant, and takes what is decided into its memory.
    /// Beside the answer stand the rows that a commit would write. May wait for the disk.
    pub fn decide<T>(
        &mut self,
        at: Timestamp,
        decide: impl FnOnce(&R, &Context<R>) -> Result<Decision<R, T>, Refusal>,
    ) -> Result<(T, Batch), Refusal> {
        self.context.now = at;
        let Decision { effects, answer } = decide(&self.room, &self.context)?;
        let mut written = Batch::new();
        if let Some(Effects { mut rows, changes, .. }) = effects {
            for change in changes {
                self.room.apply(change, &mut rows);
            }
            written = self.rehearsal.settle(rows).map_err(|error| {
                tracing::error!(room = R::KIND, %error, "a copy of a room could not go on");
                Refusal::fault()
            })?;
            self.context.in_flight.lock().keep(&written);
        }
        Ok((answer()?, written))
    }
}
