//! How long a server waits, and for what.

use std::time::Duration;

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::http::upload::LEAST_RATE;

/// How long a server waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the head of a request, from its first byte; also for the first byte of a connection
    /// and for the handshake of TLS.
    pub head: Duration,
    /// For the body of a request.
    pub body: Duration,
    /// For a byte to move while no request is being answered; over HTTP/2, for a request.
    pub idle: Duration,
    /// For the client to take some of the answers that wait for it.
    pub taking: Duration,
    /// Bytes a second with which it takes a large answer, which has `taking` beside that.
    pub pace: usize,
    /// For the requests under way, once the server is told to end.
    pub drain: Duration,
    /// For what is half here then and has begun nothing: a handshake of TLS, a head, a body or its
    /// next piece.
    pub last_call: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            taking: Duration::from_secs(30),
            pace: LEAST_RATE,
            drain: Duration::from_secs(25),
            last_call: Duration::from_secs(5),
        }
    }
}

impl Patience {
    /// For a connection that is there for one short request.
    pub(in crate::http) fn brief(self) -> Self {
        Self { body: self.head, idle: self.head, ..self }
    }

    /// By when an answer of so many bytes has to be taken that is there now.
    pub(super) fn end_of(&self, bytes: usize) -> Instant {
        let at_pace = Duration::from_millis((bytes * 1_000 / self.pace) as u64);
        Instant::now() + self.taking + at_pace
    }

    /// How often a connection is looked at.
    pub(super) fn tick(&self) -> Duration {
        (self.head.min(self.idle).min(self.taking) / 4).max(Duration::from_millis(5))
    }
}

/// Ends once what was half here at `stop` has had its time.
pub(in crate::http) async fn last_call(stop: &CancellationToken, left: Duration) {
    stop.cancelled().await;
    sleep(left).await;
}
