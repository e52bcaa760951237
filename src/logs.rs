//! The log: to standard error, as lines or as JSON, never with headers or bodies.

use tracing_subscriber::util::{SubscriberInitExt, TryInitError};
use tracing_subscriber::{Layer, Registry, fmt, layer::SubscriberExt};

use crate::config::{LogSettings, log_filter};

/// The variable that stands before the setting.
const FILTER: &str = "RUST_LOG";

#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error("{0} must be {TAKES}", TAKES = log_filter::TAKES)]
    Filter(&'static str),
    /// There is one already.
    #[error(transparent)]
    Twice(#[from] TryInitError),
}

/// Starts the log of this process. A request is a line of `accrue::access` at level debug:
/// `RUST_LOG=info,accrue::access=debug` shows them. A panic becomes a line too.
pub fn start(settings: &LogSettings) -> Result<(), LogError> {
    let wanted = std::env::var(FILTER).ok().filter(|filter| !filter.trim().is_empty());
    let (name, wanted) = match &wanted {
        Some(wanted) => (FILTER, wanted),
        None => ("log.filter", &settings.filter),
    };
    let filter = log_filter::read(wanted).ok_or(LogError::Filter(name))?;
    let lines = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    let lines: Box<dyn Layer<Registry> + Send + Sync> =
        if settings.json { lines.json().flatten_event(true).boxed() } else { lines.boxed() };
    Registry::default().with(lines.with_filter(filter)).try_init()?;
    std::panic::set_hook(Box::new(|panic| {
        let trace = std::backtrace::Backtrace::capture();
        tracing::error!(%panic, %trace, "a task panicked");
    }));
    Ok(())
}
