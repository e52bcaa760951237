//! What the tests of the parts share.

use std::time::{Duration, Instant};

/// Waits until something is so, and says what has not become so in half a minute.
pub(crate) async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(30), "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
