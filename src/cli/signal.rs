//! Waiting until the operator asks the program to stop.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Ends at the first SIGTERM or SIGINT.
pub(crate) async fn stop_asked() -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
