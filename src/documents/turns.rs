//! Documents are made few at a time, away from the threads that serve connections.

use tokio::sync::Semaphore;
use tokio::task::{JoinError, spawn_blocking};

/// Documents that are made at once: a thread that is busy with one is not there for writes.
static PLACES: Semaphore = Semaphore::const_new(2);

/// Carries out what makes documents, when its turn has come.
///
/// # Errors
/// When it panics.
pub async fn in_turn<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    // It is never closed.
    let place = PLACES.acquire().await.ok();
    spawn_blocking(move || {
        // Kept to the end, also when nobody waits for the document any more.
        let _place = place;
        work()
    })
    .await
}
