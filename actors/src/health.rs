//! What of the running program is not well. Each part says it for itself, whenever it is asked.

use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;

/// Parts by name, each with a check of its own. Clones are the same list.
#[derive(Clone, Default)]
pub struct Health {
    parts: Arc<RwLock<Vec<Part>>>,
}

struct Part {
    name: &'static str,
    check: Box<dyn Fn() -> Result<(), String> + Send + Sync>,
}

impl Health {
    /// Adds a part. `check` must be quick and gives the reason why the part is not well.
    pub fn add(
        &self,
        name: &'static str,
        check: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) {
        self.parts.write().push(Part { name, check: Box::new(check) });
    }

    /// Every part that is not well and its reason, in the order in which they were added.
    pub fn faults(&self) -> Vec<(&'static str, String)> {
        let parts = self.parts.read();
        parts.iter().filter_map(|part| Some((part.name, (part.check)().err()?))).collect()
    }
}

impl fmt::Debug for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Health").field("faults", &self.faults()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_part_is_named_while_it_is_not_well() {
        let (health, broken) = (Health::default(), Arc::new(AtomicBool::new(true)));
        let seen = Arc::clone(&broken);
        health.add("first", || Ok(()));
        health.clone().add("second", move || match seen.load(Ordering::Relaxed) {
            true => Err("it is broken".to_owned()),
            false => Ok(()),
        });
        assert_eq!(health.faults(), [("second", "it is broken".to_owned())]);
        broken.store(false, Ordering::Relaxed);
        assert!(health.faults().is_empty());
    }
}
