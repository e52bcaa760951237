//! Uploads on the disk that nobody has queued: those of an earlier run, and those for which there
//! was no room.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use storage::{ReadError, Scan, Store};

use super::{Inner, UploadKey, clear};
use crate::queue::{BEAT, Pulse, Supervisor, read_blocking};
use crate::tables::{UPLOAD_PARTS, UPLOADS};

/// How long a worker may be silent.
const PATIENCE: Duration = Duration::from_secs(15);

/// Starts the workers: one ends the pauses of uploads that failed, the other looks for uploads on
/// the disk.
pub(super) fn start(inner: &Arc<Inner>, supervisor: &Supervisor) {
    let queue = inner.queue.clone();
    supervisor.run("uploads", PATIENCE, move |pulse| {
        let queue = queue.clone();
        async move { queue.tend(&pulse).await }
    });
    let inner = Arc::clone(inner);
    supervisor.run("upload backlog", PATIENCE, move |pulse| watch(Arc::clone(&inner), pulse));
}

async fn watch(inner: Arc<Inner>, pulse: Pulse) {
    // At the start, and after a panic in the middle of a walk.
    inner.left.store(true, Ordering::Release);
    while !inner.queue.is_stopped() {
        pulse.beat();
        let forgotten = inner.queue.has_forgotten();
        if (inner.left.swap(false, Ordering::AcqRel) || forgotten)
            && let Err(error) = walk(&inner, &pulse).await
        {
            tracing::error!(%error, "uploads that are not done cannot be read");
            inner.left.store(true, Ordering::Release);
        }
        tokio::time::sleep(BEAT).await;
    }
}

/// Queues the uploads that are not done, and deletes the parts of those that were never accepted
/// or are done.
async fn walk(inner: &Arc<Inner>, pulse: &Pulse) -> Result<(), ReadError> {
    let reader = Arc::clone(inner);
    let found = read_blocking(move || with_parts(&reader)).await?;
    for (upload, goes_on) in found {
        pulse.beat();
        if goes_on {
            while !inner.queue.add_new(upload) {
                tokio::time::sleep(BEAT).await;
                pulse.beat();
            }
        } else if let Err(error) = clear::parts(&inner.store, upload.0, upload.1).await {
            let (seller, upload) = upload;
            tracing::warn!(%error, %seller, %upload, "the parts of an upload could not be deleted, the next start tries again");
        }
    }
    Ok(())
}

/// Every upload that has parts on disk, and whether it goes on, but for those that are on their way
/// here.
fn with_parts(inner: &Inner) -> Result<Vec<(UploadKey, bool)>, ReadError> {
    let (mut found, mut scan) = (Vec::new(), Scan::all());
    while let Some(key) = first_key(&inner.store, scan)? {
        scan = Scan::all().after(&key);
        // Before its row is looked for: it may be accepted meanwhile.
        let is_received = inner.receiving.contains(&key);
        match inner.store.get(UPLOADS, &key) {
            Ok(Some(upload)) if upload.done_at.is_none() => found.push((key, true)),
            Ok(_) if !is_received => found.push((key, false)),
            Ok(_) => {}
            Err(error @ (ReadError::Failed(_) | ReadError::Closed)) => return Err(error),
            Err(error) => tracing::error!(%error, seller = %key.0, "an upload cannot be read"),
        }
    }
    Ok(found)
}

/// Passes over rows that are damaged: the rest must not wait for them.
fn first_key(store: &Store, range: Scan) -> Result<Option<UploadKey>, ReadError> {
    for row in store.scan(UPLOAD_PARTS, range) {
        match row {
            Ok(((seller, upload, _), _)) => return Ok(Some((seller, upload))),
            Err(error @ (ReadError::Failed(_) | ReadError::Closed)) => return Err(error),
            Err(error) => tracing::error!(%error, "a part of an upload cannot be read"),
        }
    }
    Ok(None)
}
