//! The body of an answer: known as a whole, or made while it is sent.

use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::BoxStream;
use hyper::body::{Body, Frame, SizeHint};

use crate::http::budget::Share;

/// Answers below this are so small that what waits of them need not be counted.
const SMALL: usize = 16 * 1024;

pub type BodyError = Box<dyn std::error::Error + Send + Sync>;

pub enum Payload {
    /// All of it, until it is sent, and what it takes of the budget if it was counted.
    Whole(Bytes, Option<Share<IpAddr>>),
    /// Piece by piece: exports and event streams.
    Stream(BoxStream<'static, Result<Bytes, BodyError>>),
}

impl Payload {
    pub(super) const EMPTY: Self = Self::Whole(Bytes::new(), None);

    /// Bytes that it takes until it is sent, unless they are few. What it shares with others is
    /// there anyway, and a stream is made while it is sent.
    pub(super) fn weight(&self) -> Option<usize> {
        match self {
            Self::Whole(bytes, _) if bytes.len() >= SMALL && bytes.is_unique() => Some(bytes.len()),
            _ => None,
        }
    }

    pub(super) fn keep(&mut self, room: Share<IpAddr>) {
        if let Self::Whole(_, held) = self {
            *held = Some(room);
        }
    }

    /// What it takes of the budget, for whoever keeps its bytes from now on.
    pub(in crate::http) fn take_share(&mut self) -> Option<Share<IpAddr>> {
        match self {
            Self::Whole(_, share) => share.take(),
            Self::Stream(_) => None,
        }
    }

    /// Its length in bytes, where it is known before it is sent.
    pub(super) fn len(&self) -> Option<u64> {
        match self {
            Self::Whole(bytes, _) => Some(bytes.len() as u64),
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
            Self::Whole(bytes, _) if bytes.is_empty() => Poll::Ready(None),
            Self::Whole(bytes, _) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(bytes))))),
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
