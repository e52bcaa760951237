//! Waiting until the operator asks the program to stop, and the signal that is no such request.

use std::future::pending;
use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM, SIGINT and SIGHUP, noted from the moment on at which it was made.
pub(crate) struct Stop {
    terminate: Signal,
    interrupt: Signal,
    /// None where the program was started to outlive its terminal.
    hangup: Option<Signal>,
}

impl Stop {
    pub(crate) fn listen() -> io::Result<Self> {
        let terminate = signal(SignalKind::terminate())?;
        let hangup = (!is_hangup_ignored()).then(|| signal(SignalKind::hangup())).transpose()?;
        Ok(Self { terminate, interrupt: signal(SignalKind::interrupt())?, hangup })
    }

    /// Ends once one of them has come.
    pub(crate) async fn asked(self) {
        let Self { mut terminate, mut interrupt, mut hangup } = self;
        let hung_up = async {
            match &mut hangup {
                Some(hangup) => hangup.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hung_up => {}
        }
    }
}

/// Ends at the first SIGTERM, SIGINT or SIGHUP.
pub(crate) async fn stop_asked() -> io::Result<()> {
    Stop::listen()?.asked().await;
    Ok(())
}

/// Lets a write fail that would make a file larger than the system lets this process have. Left
/// alone, the signal that comes with it ends the process without a word.
pub(super) fn let_large_writes_fail() -> io::Result<()> {
    // Whoever has listened once has taken the signal over for good.
    let kind = SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    signal(kind).map(drop)
}

/// Whether the program was started with SIGHUP ignored, as `nohup` does; where the system does not
/// tell, it was not.
fn is_hangup_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 1)
}
