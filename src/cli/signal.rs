//! Waiting until the operator asks the program to stop.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM and SIGINT, noted from the moment on at which it was made.
pub(crate) struct Stop {
    terminate: Signal,
    interrupt: Signal,
}

impl Stop {
    pub(crate) fn listen() -> io::Result<Self> {
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { terminate, interrupt: signal(SignalKind::interrupt())? })
    }

    /// Ends once one of them has come.
    pub(crate) async fn asked(mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Ends at the first SIGTERM or SIGINT.
pub(crate) async fn stop_asked() -> io::Result<()> {
    Stop::listen()?.asked().await;
    Ok(())
}
