//! The body of an answer: known as a whole, or made while it is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use hyper::body::{Body, Frame, SizeHint};

pub type BodyError = Box<dyn std::error::Error + Send + Sync>;

pub enum Payload {
    /// All of it, until it is sent.
    Whole(Bytes),
    /// Piece by piece: exports and event streams.
    Stream(BoxStream<'static, Result<Bytes, BodyError>>),
}

impl Payload {
    pub(super) const EMPTY: Self = Self::Whole(Bytes::new());

    /// Its length in bytes, where it is known before it is sent.
    pub(super) fn len(&self) -> Option<u64> {
        match self {
            Self::Whole(bytes) => Some(bytes.len() as u64),
            Self::Stream(_) => None,
        }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match self.get_mut() {
            Self::Whole(bytes) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
            Self::Stream(stream) => {
                stream.poll_next_unpin(context).map(|next| next.map(|piece| piece.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.len() == Some(0)
    }

    fn size_hint(&self) -> SizeHint {
        self.len().map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}
