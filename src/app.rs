//! What handlers are given: the parts of the running program.

use actors::clock::Clock;
use actors::entropy::Entropy;
use actors::limiter::Limiter;
use storage::Store;

use crate::config::Settings;
use crate::http::auth::Lookup;
use crate::metrics::Metrics;

/// The parts of the running program.
pub struct App {
    /// The settings.
    pub settings: Settings,
    /// The time.
    pub clock: Clock,
    /// The source of random bytes.
    pub entropy: Entropy,
    /// The committed rows.
    pub store: Store,
    /// The limits.
    pub limiter: Limiter,
    /// The figures.
    pub metrics: Metrics,
    /// Finds the seller of a key.
    pub lookup: Lookup,
}

impl App {
    /// Whether requests are taken.
    pub fn is_ready(&self) -> bool {
        true
    }
}
