//! Holds on files of the journal: whoever reads them later keeps them from being used again.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

type Held = Arc<Mutex<BTreeMap<u64, usize>>>;

/// From which groups on somebody reads, and how many do.
#[derive(Default)]
pub(super) struct Holds(Held);

/// Keeps the files with a group and those behind it, until it is dropped.
pub(crate) struct Hold {
    group: u64,
    held: Held,
}

impl Holds {
    pub(super) fn hold(&self, group: u64) -> Hold {
        *self.0.lock().entry(group).or_default() += 1;
        Hold { group, held: Arc::clone(&self.0) }
    }

    /// The first group that somebody reads; `u64::MAX` where nobody does.
    pub(super) fn first(&self) -> u64 {
        self.0.lock().first_key_value().map_or(u64::MAX, |(group, _)| *group)
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let mut held = self.held.lock();
        if let Some(count) = held.get_mut(&self.group) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.group);
            }
        }
    }
}
