//! A file that is being uploaded.

use std::sync::Arc;

use storage::{Batch, CommitError};
use tokio::sync::oneshot;

use super::{Inner, clear};
use crate::domain::billing::usage::upload::{
    MappingDraft, MappingRefusal, SplitFault, Splitter, Upload, UploadPart,
};
use crate::domain::ids::{SellerId, UploadId};
use crate::kernel::AskError;
use crate::tables::UPLOAD_PARTS;

const HANDED_IN_BYTES: usize = 256 * 1024;

#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    #[error(transparent)]
    File(#[from] SplitFault),
    #[error(transparent)]
    Mapping(#[from] MappingRefusal),
    #[error("an upload cannot be stored: {0}")]
    Store(#[from] CommitError),
    #[error("an upload was not taken over: {0}")]
    Room(#[from] AskError),
}

/// A file that is being uploaded. Its parts are deleted by [`abandon`](Receiving::abandon), or by
/// the next start when the process ends before.
pub struct Receiving {
    inner: Arc<Inner>,
    seller: SellerId,
    id: UploadId,
    splitter: Splitter,
    filled: Vec<UploadPart>,
    filled_bytes: usize,
    parts: u32,
    on_its_way: Option<oneshot::Receiver<Result<(), CommitError>>>,
}

impl Drop for Receiving {
    fn drop(&mut self) {
        self.inner.receiving.remove(&(self.seller, self.id));
    }
}

impl Receiving {
    pub(super) fn new(inner: Arc<Inner>, seller: SellerId, id: UploadId) -> Self {
        inner.receiving.insert((seller, id));
        Self {
            inner,
            seller,
            id,
            splitter: Splitter::new(),
            filled: Vec::new(),
            filled_bytes: 0,
            parts: 0,
            on_its_way: None,
        }
    }

    /// Takes the next bytes of the file; waits while the disk is slower than the client.
    pub async fn take(&mut self, bytes: &[u8]) -> Result<(), ReceiveError> {
        let before = self.filled.len();
        self.splitter.push(bytes, &mut self.filled)?;
        self.filled_bytes += self.filled[before..].iter().map(|p| p.bytes.len()).sum::<usize>();
        if self.filled_bytes >= HANDED_IN_BYTES {
            self.hand_in().await?;
        }
        Ok(())
    }

    /// Ends the file. When this returns an upload, all of it is on disk and will be recorded.
    pub async fn finish(&mut self, mapping: MappingDraft) -> Result<Upload, ReceiveError> {
        let splitter = std::mem::take(&mut self.splitter);
        let (header, rows) = splitter.finish(&mut self.filled)?;
        let mapping = mapping.resolve(&header)?;
        self.hand_in().await?;
        self.landed().await?;
        let now = self.inner.clock.now();
        let upload = Upload::new(self.id, mapping, rows, self.parts, now);
        self.inner.sellers.accept_upload(self.seller, upload.clone()).await?;
        if self.parts > 0 {
            self.inner.enqueue((self.seller, self.id));
        }
        Ok(upload)
    }

    pub async fn abandon(mut self) {
        // Parts that are being written must be there before they can be deleted.
        let _ = self.landed().await;
        if let Err(error) = clear::parts(&self.inner.store, self.seller, self.id).await {
            let Self { seller, id, .. } = &self;
            tracing::warn!(%error, %seller, upload = %id, "the parts of an abandoned upload could not be deleted, the next start tries again");
        }
    }

    /// Hands in what is filled, once what was handed in before has landed.
    async fn hand_in(&mut self) -> Result<(), ReceiveError> {
        self.landed().await?;
        self.filled_bytes = 0;
        if self.filled.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::new();
        for part in self.filled.drain(..) {
            batch.put(UPLOAD_PARTS, &(self.seller, self.id, self.parts), &part);
            self.parts += 1;
        }
        self.inner.keeping.wrote(self.seller, batch.bytes());
        let (sender, receiver) = oneshot::channel();
        self.inner.store.commit(batch, move |result| {
            // Nobody waits when the file was given up.
            let _ = sender.send(result.map(drop));
        });
        self.on_its_way = Some(receiver);
        Ok(())
    }

    async fn landed(&mut self) -> Result<(), ReceiveError> {
        match self.on_its_way.take() {
            Some(answer) => Ok(answer.await.unwrap_or(Err(CommitError::Closed))?),
            None => Ok(()),
        }
    }
}
