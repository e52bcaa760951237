//! Rooms: supervised actors that own their rows and decide their writes one after the other.
//!
//! * A [`Room`] is the memory of one object: a contract, a payment, a payee, a seller, a
//!   subscription by payment link.
//! * A command is a function of that memory and a [`Context`]. It changes nothing: it gives back
//!   a refusal, or a [`Decision`] that names rows, changes, events, messages and the answer.
//! * The kernel applies a decision to memory, batch and timers, hands the batch in and takes the
//!   next command at once. The answer leaves when the batch is durable.
//! * [`Rooms`] is the handle to all rooms of one kind: it starts a room on first use, stops it
//!   when idle, and starts it again from the store when it failed or lost a claim.

mod actor;
mod commit;
mod context;
mod decision;
mod entry;
mod fork;
mod late;
mod once;
pub(crate) mod restarts;
mod resting;
mod rooms;
mod services;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hash::Hash;
use std::time::Duration;

use storage::{Batch, ReadError, View};

use crate::domain::ids::SellerId;
use crate::domain::platform::event::ObjectKind;
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::timers::TimerKind;

pub use context::Context;
pub use decision::{Decision, Drawn, Effects};
pub use fork::Fork;
pub use once::{Halt, KeyClaim, Once, Repeated};
pub use rooms::{RoomSettings, Rooms};
pub use services::Services;

/// The memory of one object, and how a decided change is applied to it.
pub trait Room: Sized + Send + 'static {
    type Id: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// What a decision changes in memory.
    type Change: Send + 'static;
    /// What every room of this kind works with beside the [`Services`].
    type Tools: Send + Sync + 'static;
    /// What the worker is called that puts rooms of this kind to rest.
    const WORKER: &'static str;
    const KIND: &'static str;
    /// What its events tell of.
    const TELLS_OF: ObjectKind;
    /// The longest that an idle room stays: short where many are asked in a burst each, and then
    /// not for long.
    const STAYS: Duration = Duration::MAX;
    /// Whether its memory is one row, which is read where commands run and read rows as well. More
    /// rows are read on a thread that may wait for the disk, which costs more than one row does.
    const IS_ONE_ROW: bool = false;

    fn seller(id: Self::Id) -> SellerId;

    /// The object's own number, under which its timers are kept and its log lines found.
    fn object(id: Self::Id) -> u64;

    /// Reads the object's committed rows.
    fn load(id: Self::Id, store: &View, tools: &Self::Tools) -> Result<Self, ReadError>;

    /// Takes a decided change into memory and puts the rows that keep it. It cannot fail.
    fn apply(&mut self, change: Self::Change, rows: &mut Batch);

    fn timers(&mut self) -> BTreeMap<TimerKind, Timestamp> {
        BTreeMap::new()
    }

    /// Whether there was such an object when its rows were read. A room of nothing is not kept:
    /// the object may be made meanwhile.
    fn is_known(&self) -> bool {
        true
    }

    /// Whether an idle room may be stopped: not while it knows what no row tells.
    fn rests(&self) -> bool {
        true
    }
}

/// Why a caller has no answer to its command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// The room decided against it; nothing was done.
    #[error("{0}")]
    Refused(Refusal),
    /// The room ended or took too long. What was asked may have been carried out or not.
    #[error("unanswered")]
    Unanswered,
    /// Too much waits already, mostly commands for this room; nothing was done.
    #[error("busy")]
    Busy,
}

impl<E: Into<Refusal>> From<E> for AskError {
    fn from(refusal: E) -> Self {
        Self::Refused(refusal.into())
    }
}

#[cfg(test)]
impl AskError {
    pub(crate) fn refusal(self) -> Refusal {
        match self {
            Self::Refused(refusal) => refusal,
            other => panic!("no answer: {other}"),
        }
    }
}
