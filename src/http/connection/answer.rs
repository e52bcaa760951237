//! The body of an answer, and how much of it the client has yet to take.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use super::{Patience, Signs};
use crate::http::budget::Share;
use crate::http::response::{BodyError, Payload};

/// An answer that is known as a whole counts as waiting from its beginning, although HTTP/2 asks
/// for it only when the client has room. One that is made piece by piece is not counted: a slow
/// reader keeps no more than a few pieces of it, and events may be far apart.
pub(super) struct Answer {
    payload: Payload,
    waiting: Option<Waiting>,
    _stream: Option<Streaming>,
}

/// Bytes of an answer. Those that are gone over are on their way to the client.
pub(super) struct Piece {
    bytes: Bytes,
    waiting: Option<Waiting>,
}

/// One more answer of which something waits, as long as it lives; of a large one its room in
/// memory, and by when it has to be taken. What is taken of other answers meanwhile gives it no
/// time, or one that nobody takes would keep its room for ever.
struct Waiting {
    signs: Arc<Signs>,
    room: Option<(Share<IpAddr>, Instant)>,
}

/// One more answer that is made piece by piece, as long as it lives.
struct Streaming(Arc<Signs>);

impl Answer {
    pub(super) fn new(mut payload: Payload, signs: &Arc<Signs>, patience: &Patience) -> Self {
        let share = payload.take_share();
        let (waiting, stream) = match &payload {
            Payload::Whole(bytes, _) if bytes.is_empty() => (None, None),
            Payload::Whole(bytes, _) => {
                let room = share.map(|share| (share, patience.end_of(bytes.len())));
                (Some(Waiting::new(signs, room)), None)
            }
            Payload::Stream(_) => (None, Some(Streaming::new(signs))),
        };
        Self { payload, waiting, _stream: stream }
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
            waiting.signs.taken.fetch_add(count as u64, Ordering::Relaxed);
        }
        if self.bytes.is_empty() {
            self.waiting = None;
        }
    }
}

impl Waiting {
    fn new(signs: &Arc<Signs>, room: Option<(Share<IpAddr>, Instant)>) -> Self {
        signs.waiting.fetch_add(1, Ordering::Relaxed);
        if let Some((_, end)) = &room {
            signs.owe(*end);
        }
        Self { signs: signs.clone(), room }
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((_, end)) = &self.room {
            self.signs.settle(*end);
        }
        self.signs.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Streaming {
    fn new(signs: &Arc<Signs>) -> Self {
        signs.streams.fetch_add(1, Ordering::Relaxed);
        Self(signs.clone())
    }
}

impl Drop for Streaming {
    fn drop(&mut self) {
        self.0.streams.fetch_sub(1, Ordering::Relaxed);
    }
}
