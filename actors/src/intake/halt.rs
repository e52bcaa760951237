//! What keeps an upload from being recorded: for a while a disk that is nearly full, for good an
//! account that keeps as much as it may.

use std::sync::Arc;

use storage::Scan;

use super::Inner;
use super::turn::{TurnError, blocking};
use crate::domain::billing::usage::upload::Upload;
use crate::domain::ids::SellerId;
use crate::queue::BEAT;
use crate::tables::UPLOAD_WINDOWS;

/// Waits while nothing new is to be begun, unless the intake is to stop.
pub(super) async fn rested(inner: &Inner) {
    while inner.store.rests() && !inner.stop.is_cancelled() {
        tokio::select! {
            () = inner.stop.cancelled() => {}
            () = tokio::time::sleep(BEAT) => {}
        }
    }
}

/// Why no more of an upload may be kept, if that is so. Rows that an earlier run has recorded are
/// only to be counted still, and bring nothing more.
pub(super) async fn reason(
    inner: &Arc<Inner>,
    seller: SellerId,
    upload: &Upload,
) -> Result<Option<String>, TurnError> {
    let known = inner.directory.seller(seller)?;
    if !known.is_some_and(|known| known.seller.is_sandbox()) {
        return Ok(None);
    }
    let Err(full) = inner.keeping.admit(seller).await? else { return Ok(None) };
    let next = (seller, upload.id, upload.next_row);
    let recorded = blocking(inner, move |inner| {
        let window = inner.store.scan(UPLOAD_WINDOWS, Scan::prefix(&next)).next();
        Ok(window.transpose()?.is_some())
    });
    match (recorded.await?, full.found) {
        (true, _) => Ok(None),
        (false, true) => Ok(Some(full.to_string())),
        (false, false) => Err(TurnError::NotLookedAt),
    }
}
