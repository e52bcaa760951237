//! Waiting for a condition, never for a time.

use std::time::{Duration, Instant};

/// How long anything may take before a test gives up on it.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often a condition is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Asks `look` again and again until it finds something, and answers what it found.
///
/// # Panics
/// With `what` when nothing was found in time.
pub(crate) async fn until<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    until_within(PATIENCE, what, look).await
}

/// The same with a patience of one's own.
///
/// # Panics
/// With `what` when nothing was found in time.
pub(crate) async fn until_within<T>(
    patience: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(begun.elapsed() < patience, "waited {patience:?} in vain for: {what}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
