//! Deletes the parts of an upload.

use storage::{Batch, CommitError, Key, ReadError, Record, Scan, Store, Table};

use crate::domain::ids::{SellerId, UploadId};
use crate::tables::{UPLOAD_PARTS, UPLOAD_WINDOWS};

const AT_ONCE: usize = 256;

#[derive(Debug, thiserror::Error)]
pub(super) enum ClearError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Write(#[from] CommitError),
}

/// Claims are deleted first: only as long as there are parts, the next start looks for more.
pub(super) async fn parts(
    store: &Store,
    seller: SellerId,
    upload: UploadId,
) -> Result<(), ClearError> {
    let store = store.clone();
    let work = move || {
        rows(&store, UPLOAD_WINDOWS, &Scan::prefix(&(seller, upload)))?;
        rows(&store, UPLOAD_PARTS, &Scan::prefix(&(seller, upload)))
    };
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(ClearError::Write(CommitError::Closed)))
}

/// Deletes claims of rows that are counted: nobody asks for them any more.
pub(super) async fn windows_before(
    store: &Store,
    seller: SellerId,
    upload: UploadId,
    row: u64,
) -> Result<(), ClearError> {
    let store = store.clone();
    let work = move || {
        let counted = Scan::prefix(&(seller, upload)).until(&(seller, upload, row));
        rows(&store, UPLOAD_WINDOWS, &counted)
    };
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(ClearError::Write(CommitError::Closed)))
}

fn rows<K: Key, V: Record>(
    store: &Store,
    table: Table<K, V>,
    scan: &Scan,
) -> Result<(), ClearError> {
    loop {
        let found = store.scan(table, scan.clone()).take(AT_ONCE);
        let keys = found.map(|row| Ok(row?.0)).collect::<Result<Vec<K>, ReadError>>()?;
        if keys.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::new();
        keys.iter().for_each(|key| batch.delete(table, key));
        store.write_blocking(batch)?;
    }
}
