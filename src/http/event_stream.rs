//! Answers that go on while something happens: server-sent events.

use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use hyper::header::HeaderValue;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::response::{BodyError, Response};

const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// The line that says nothing but that the stream is alive.
pub(crate) const COMMENT: Bytes = Bytes::from_static(b": alive\n\n");

/// How often it is sent.
pub(crate) const COMMENT_EVERY: Duration = Duration::from_secs(15);

impl Response {
    /// Events, kept by no cache.
    pub(crate) fn events(
        pieces: impl Stream<Item = Result<Bytes, BodyError>> + Send + 'static,
    ) -> Self {
        Self::stream(EVENT_STREAM, pieces).unstored()
    }
}

/// When comments are due.
pub(crate) fn comments() -> Interval {
    let mut comments = interval_at(Instant::now() + COMMENT_EVERY, COMMENT_EVERY);
    comments.set_missed_tick_behavior(MissedTickBehavior::Delay);
    comments
}
