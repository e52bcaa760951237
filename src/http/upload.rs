//! A request body that its handler reads while it comes: for bodies too large to be kept.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, stream};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Sleep, sleep};

use super::body::{self, Terms};
use super::error::ApiError;

/// Bytes a second that the largest body of a route has to come with. A smaller one has as long.
pub(super) const LEAST_RATE: usize = 32 * 1024;

/// A body on its way. What is not read of it when it is dropped is thrown away behind the answer,
/// so that its sender is listening when the answer comes.
pub struct Upload {
    body: Option<Incoming>,
    terms: Terms,
    left: usize,
    /// When all of it has to be there: who sends a byte now and then keeps a place for no longer.
    end: Pin<Box<Sleep>>,
}

/// Why a body ends before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UploadFault {
    #[error("the request body is larger than {0} bytes")]
    TooLarge(usize),
    /// Nothing comes any more, or too slowly.
    #[error("the request body did not come")]
    Silent,
    /// Its sender went away.
    #[error("the request body ended early")]
    Broken,
}

impl Upload {
    pub(crate) fn new(body: Incoming, terms: Terms) -> Self {
        let at_least_rate = Duration::from_millis((terms.limit * 1_000 / LEAST_RATE) as u64);
        let end = Box::pin(sleep(terms.patience + at_least_rate));
        Self { body: Some(body), left: terms.limit, terms, end }
    }

    /// The pieces of the body in order; the first fault is the last piece. Between two pieces it
    /// stops for a moment, so that a reader who takes what is there takes one piece.
    pub fn pieces(self) -> impl Stream<Item = Result<Bytes, UploadFault>> + Send {
        stream::unfold(Some(self), |upload| async move {
            let mut upload = upload?;
            tokio::task::yield_now().await;
            match upload.next().await {
                Ok(Some(piece)) => Some((Ok(piece), Some(upload))),
                Ok(None) => None,
                Err(fault) => Some((Err(fault), None)),
            }
        })
    }

    async fn next(&mut self) -> Result<Option<Bytes>, UploadFault> {
        loop {
            let Some(body) = &mut self.body else { return Ok(None) };
            let frame = tokio::select! {
                biased;
                () = self.end.as_mut() => None,
                frame = self.terms.in_time(body.frame()) => frame,
            };
            let Some(frame) = frame.ok_or(UploadFault::Silent)? else {
                self.body = None;
                return Ok(None);
            };
            let Ok(piece) = frame.map_err(|_| UploadFault::Broken)?.into_data() else { continue };
            self.left = self
                .left
                .checked_sub(piece.len())
                .ok_or(UploadFault::TooLarge(self.terms.limit))?;
            return Ok(Some(piece));
        }
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(body) = self.body.take() {
            body::drain_behind(body, self.terms.clone());
        }
    }
}

impl From<UploadFault> for ApiError {
    fn from(fault: UploadFault) -> Self {
        match fault {
            UploadFault::TooLarge(limit) => body::too_large(limit),
            UploadFault::Silent => body::silent(),
            UploadFault::Broken => body::broken(),
        }
    }
}
