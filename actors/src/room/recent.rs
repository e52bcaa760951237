//! Rows that a room has written and that may not be on disk yet.

use std::collections::HashMap;
use std::hash::Hash;

use storage::ReadError;

use super::{Desk, Room};

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

    /// Notes what the batch that is handed in next writes.
    pub fn note<R: Room>(&mut self, desk: &Desk<R>, key: K, value: V) {
        if self.rows.len() > TIDY_ABOVE {
            let landed = desk.answered();
            self.rows.retain(|_, (batch, _)| *batch > landed);
        }
        self.rows.insert(key, (desk.submitted() + 1, value));
    }
}
