//! The workers that take turns over the uploads.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use storage::{ReadError, Scan, Store};

use super::turn;
use super::{Inner, clear};
use crate::domain::ids::{SellerId, UploadId};
use crate::tables::{UPLOAD_PARTS, UPLOADS};

/// How many uploads are recorded at once, so that most of the machine is left for requests.
const WORKERS: usize = 2;

const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Starts the workers, and one task that resumes the uploads of an earlier run, whose ids are
/// below `first`.
pub(super) fn start(inner: &Arc<Inner>, first: UploadId) {
    for _ in 0..WORKERS {
        inner.tasks.spawn(work(Arc::clone(inner)));
    }
    inner.tasks.spawn(resume(Arc::clone(inner), first));
}

async fn work(inner: Arc<Inner>) {
    while let Some((seller, upload)) = next(&inner).await {
        let turn = AssertUnwindSafe(turn::take(&inner, seller, upload)).catch_unwind();
        match turn.await {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => inner.enqueue(seller, upload),
            Ok(Err(error)) => retry_later(&inner, seller, upload, &error.to_string()),
            Err(_) => retry_later(&inner, seller, upload, "panicked"),
        }
    }
}

/// The next upload whose turn it is; `None` when the workers are to end.
async fn next(inner: &Inner) -> Option<(SellerId, UploadId)> {
    loop {
        if inner.stop.is_cancelled() {
            return None;
        }
        if let Some(next) = inner.waiting.lock().pop_front() {
            return Some(next);
        }
        tokio::select! {
            () = inner.work.notified() => {}
            () = inner.stop.cancelled() => return None,
        }
    }
}

/// An upload that fails is taken up again later and delays no other.
fn retry_later(inner: &Arc<Inner>, seller: SellerId, upload: UploadId, why: &str) {
    tracing::warn!(%seller, %upload, why, "rows of an upload could not be recorded, they are tried again");
    let again = Arc::clone(inner);
    inner.tasks.spawn(async move {
        tokio::select! {
            () = tokio::time::sleep(RETRY_AFTER) => again.enqueue(seller, upload),
            () = again.stop.cancelled() => {}
        }
    });
}

/// Queues the unfinished uploads of an earlier run, and deletes the parts of those that were never
/// accepted or are done.
async fn resume(inner: Arc<Inner>, first: UploadId) {
    let store = inner.store.clone();
    let found = match tokio::task::spawn_blocking(move || unfinished(&store, first)).await {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => {
            return tracing::error!(%error, "unfinished uploads of an earlier run cannot be read");
        }
        Err(_) => return,
    };
    for (seller, upload, goes_on) in found {
        if goes_on {
            inner.enqueue(seller, upload);
        } else if let Err(error) = clear::parts(&inner.store, seller, upload).await {
            tracing::warn!(%error, %seller, %upload, "the parts of an upload could not be deleted, the next start tries again");
        }
    }
}

/// Every upload below `first` that has parts on disk, and whether it goes on.
fn unfinished(
    store: &Store,
    first: UploadId,
) -> Result<Vec<(SellerId, UploadId, bool)>, ReadError> {
    let mut found = Vec::new();
    let mut scan = Scan::all();
    while let Some(row) = store.scan(UPLOAD_PARTS, scan).next() {
        let ((seller, upload, _), _) = row?;
        if upload < first {
            let known = store.get(UPLOADS, &(seller, upload))?;
            found.push((seller, upload, known.is_some_and(|upload| upload.done_at.is_none())));
        }
        scan = Scan::all().after(&(seller, upload));
    }
    Ok(found)
}
