//! Rows that a room has written and that may not be on disk yet.

use std::collections::HashMap;
use std::hash::Hash;

use storage::{Batch, ReadError};

use super::{Desk, Reply, Room};
use crate::domain::refusal::Refusal;

/// How many rows are kept before those that have landed are let go.
const TIDY_ABOVE: usize = 64;

/// What a room wrote lately, by key. A room that reads a row before it decides on it looks here
/// first: its own commits land later than it decides.
#[derive(Debug)]
pub struct Recent<K, V> {
    rows: HashMap<K, (u64, V)>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Self { rows: HashMap::new() }
    }
}

impl<K: Eq + Hash, V: Clone> Recent<K, V> {
    /// The row as this room last wrote it, else as `read` finds it on disk.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn get(
        &self,
        key: &K,
        read: impl FnOnce() -> Result<Option<V>, ReadError>,
    ) -> Result<Option<V>, ReadError> {
        match self.rows.get(key) {
            Some((_, value)) => Ok(Some(value.clone())),
            None => read(),
        }
    }

    /// Hands the port back when there is no row of this key, neither here nor, as `read` finds,
    /// on disk. Where there is one the caller is answered `before`, behind the commit that writes
    /// it: a replay must not be told of what might yet be lost.
    pub fn unless_there<R: Room, T: Send + 'static>(
        &self,
        desk: &Desk<R>,
        key: &K,
        read: impl FnOnce() -> Result<bool, ReadError>,
        before: T,
        reply: Reply<Result<T, Refusal>>,
    ) -> Option<Reply<Result<T, Refusal>>> {
        let there = if self.rows.contains_key(key) { Ok(true) } else { read() };
        match there {
            Ok(false) => return Some(reply),
            Ok(true) => desk.commit(Batch::new(), reply, |result| match result {
                Ok(_) => Ok(before),
                Err(refused) => {
                    tracing::error!(room = R::KIND, ?refused, "an empty batch was refused");
                    Err(Refusal::fault())
                }
            }),
            Err(error) => {
                tracing::error!(room = R::KIND, %error, "a room cannot read a key");
                reply.send(Err(Refusal::fault()));
            }
        }
        None
    }

    /// Notes what the batch that is handed in next writes.
    pub fn note<R: Room>(&mut self, desk: &Desk<R>, key: K, value: V) {
        if self.rows.len() > TIDY_ABOVE {
            let landed = desk.answered();
            self.rows.retain(|_, (batch, _)| *batch > landed);
        }
        self.rows.insert(key, (desk.submitted() + 1, value));
    }
}
