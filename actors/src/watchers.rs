//! Who waits for something to change: pages that show it live, and requests that wait for the
//! answer to another. Whoever waits costs nothing until a write that is durable wakes them.

use std::hash::Hash;
use std::sync::Arc;

use dashmap::DashMap;
use tokio::sync::watch;

/// How many things are watched before those that nobody watches any more are let go.
const TIDY_ABOVE: usize = 1024;

#[derive(Clone, Debug)]
pub struct Watchers<K: Eq + Hash> {
    known: Arc<DashMap<K, watch::Sender<u64>>>,
}

impl<K: Eq + Hash> Default for Watchers<K> {
    fn default() -> Self {
        Self { known: Arc::default() }
    }
}

impl<K: Eq + Hash> Watchers<K> {
    /// Counts the durable changes of something from now on.
    pub(crate) fn watch(&self, of: K) -> watch::Receiver<u64> {
        if self.known.len() > TIDY_ABOVE {
            self.known.retain(|_, sender| !sender.is_closed());
        }
        self.known.entry(of).or_insert_with(|| watch::Sender::new(0)).subscribe()
    }

    /// A change of it is durable. Never waits.
    pub(crate) fn notify(&self, of: &K) {
        if let Some(sender) = self.known.get(of) {
            sender.send_modify(|count| *count = count.wrapping_add(1));
        }
    }
}
