//! Answers that go on while something happens: server-sent events.

use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use hyper::header::HeaderValue;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::response::{BodyError, Response};

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// The line that says nothing but that the stream is alive.
pub(crate) const COMMENT: Bytes = Bytes::from_static(b": alive\n\n");

/// How often it is sent.
pub(crate) const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// Where events come from, for as long as somebody listens.
pub(crate) trait EventSource: Send + 'static {
    /// The next piece of the stream; `None` at its end.
    fn next(&mut self) -> impl Future<Output = Result<Option<Bytes>, BodyError>> + Send;
}

impl Response {
    /// Events, kept by no cache.
    pub(crate) fn events<S: EventSource>(source: S) -> Self {
        let pieces = stream::try_unfold(source, |mut source: S| async move {
            let piece = source.next().await?;
            Ok::<_, BodyError>(piece.map(|piece| (piece, source)))
        });
        Self::stream(EVENT_STREAM, pieces).unstored()
    }
}

/// When comments are due.
pub(crate) fn comments() -> Interval {
    let mut comments = interval_at(Instant::now() + COMMENT_EVERY, COMMENT_EVERY);
    comments.set_missed_tick_behavior(MissedTickBehavior::Delay);
    comments
}
