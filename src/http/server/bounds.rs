//! How long a server waits.

use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For the head of a request, from its first byte; also for the first byte of a connection
    /// and for the handshake of TLS.
    pub head: Duration,
    /// For the body of a request.
    pub body: Duration,
    /// For a byte to move while no request is being answered.
    pub idle: Duration,
    /// For the requests under way, once the server is told to end.
    pub drain: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            drain: Duration::from_secs(25),
        }
    }
}

impl Patience {
    /// For a connection that is there for one short request.
    pub(super) fn brief(self) -> Self {
        Self { body: self.head, idle: self.head, ..self }
    }

    /// How often a connection is looked at.
    pub(in crate::http) fn tick(&self) -> Duration {
        (self.head.min(self.idle) / 4).max(Duration::from_millis(5))
    }
}
