//! The body of an answer, and how much of it the client has yet to take.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, SizeHint};

use super::Signs;
use crate::http::response::{BodyError, Payload};

/// An answer that is known as a whole counts as waiting from its beginning, although HTTP/2 asks
/// for it only when the client has room. One that is made piece by piece is not counted: a slow
/// reader keeps no more than a few pieces of it, and events may be far apart.
pub(super) struct Answer {
    payload: Payload,
    waiting: Option<Waiting>,
}

/// Bytes of an answer. Those that are gone over are on their way to the client.
pub(super) struct Piece {
    bytes: Bytes,
    waiting: Option<Waiting>,
}

/// One more answer of which something waits, as long as it lives.
struct Waiting(Arc<Signs>);

impl Answer {
    pub(super) fn new(payload: Payload, signs: &Arc<Signs>) -> Self {
        let is_whole = matches!(&payload, Payload::Whole(bytes) if !bytes.is_empty());
        Self { payload, waiting: is_whole.then(|| Waiting::new(signs)) }
    }
}

impl Body for Answer {
    type Data = Piece;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, BodyError>>> {
        let this = self.get_mut();
        let next = Pin::new(&mut this.payload).poll_frame(context);
        let mut piece = |bytes| Piece { bytes, waiting: this.waiting.take() };
        next.map(|next| next.map(|frame| frame.map(|frame| frame.map_data(&mut piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.payload.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.payload.size_hint()
    }
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        if let Some(waiting) = &self.waiting {
            waiting.0.taken.fetch_add(count as u64, Ordering::Relaxed);
        }
        if self.bytes.is_empty() {
            self.waiting = None;
        }
    }
}

impl Waiting {
    fn new(signs: &Arc<Signs>) -> Self {
        signs.waiting.fetch_add(1, Ordering::Relaxed);
        Self(signs.clone())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
