//! Waiting for a condition, never for a time.

use std::time::{Duration, Instant};

/// How long anything may take before a test fails.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How often a condition is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Calls `look` again and again until it finds something, and returns that.
///
/// # Panics
/// With `what` when nothing was found in time.
pub(crate) async fn until<T>(what: &str, look: impl AsyncFnMut() -> Option<T>) -> T {
    until_within(TIMEOUT, what, look).await
}

/// The same with a timeout of one's own.
///
/// # Panics
/// With `what` when nothing was found in time.
pub(crate) async fn until_within<T>(
    timeout: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(begun.elapsed() < timeout, "waited {timeout:?} in vain for: {what}");
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
