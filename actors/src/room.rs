//! Rooms: supervised actors that own their rows and decide their writes one after the other.
//!
//! * A [`Room`] is the state of one contract, payment, payee or seller and the function that
//!   decides a command on it.
//! * [`Rooms`] is the handle to all rooms of one kind: it starts a room on first use, stops it
//!   when idle, starts it again from the store when it failed.
//! * A [`Desk`] is what a room works with: the store, its clock, and its own lane of commits.
//!   A room hands in its batch and takes its next command at once; the answer leaves when the
//!   batch is durable.

mod desk;
mod host;
mod recent;
mod rooms;

use std::fmt::Debug;
use std::future::Future;
use std::hash::Hash;

use tokio::sync::oneshot;

use storage::{ReadError, Store};

pub use crate::kernel::{AskError, RoomSettings};
pub use desk::{Desk, Flight, Refused};
pub use recent::Recent;
pub use rooms::Rooms;

/// The state of one object and its one writer.
pub trait Room: Sized + Send + 'static {
    /// Which object it is.
    type Id: Copy + Eq + Hash + Debug + Send + Sync + 'static;
    /// What can be asked of it; each command carries the port for its answer.
    type Command: Send + 'static;
    /// What every room of this kind works with beside the store and the clock.
    type Tools: Send + Sync + 'static;
    /// The kind, for logs.
    const KIND: &'static str;

    /// Reads the room's committed rows. Runs on a thread that may wait for the disk.
    fn load(id: Self::Id, store: &Store, tools: &Self::Tools) -> Result<Self, ReadError>;

    /// Decides one command. It may read committed rows; it never waits for another room, nor
    /// for its own commits.
    fn handle(
        &mut self,
        command: Self::Command,
        desk: &Desk<Self>,
    ) -> impl Future<Output = ()> + Send;
}

/// What travels back through a [`Reply`].
enum Outcome<T> {
    Answer(T),
    /// The room's memory ran ahead of a refused batch. Nothing of this command was written.
    StartAgain,
}

/// The port for the answer to one command. Dropped unused, the caller is told "unanswered".
pub struct Reply<T>(oneshot::Sender<Outcome<T>>);

impl<T> Reply<T> {
    /// Answers. A caller who gave up is no concern of the room.
    pub fn send(self, answer: T) {
        let _ = self.0.send(Outcome::Answer(answer));
    }

    /// Sends the caller's command round again, to the room's successor.
    pub(crate) fn start_again(self) {
        let _ = self.0.send(Outcome::StartAgain);
    }
}

impl<T> Debug for Reply<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Reply")
    }
}
