//! Opening a file where this process, or the machine, has as many open as it may.
//!
//! Nothing has been written by then, so nothing is unknown: where others give theirs back the store
//! goes on as if nothing had been. It does not wait for ever: what never gives back is mended by a
//! new start of the process.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;

/// Longer than calls out and connections hold what is not theirs to keep.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

/// Opens something, again and again while too many files are open.
pub(crate) fn patiently<T>(open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    within(PATIENCE, open)
}

fn within<T>(patience: Duration, mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut begun = None;
    loop {
        let opened = open();
        let Some(error) = opened.as_ref().err().filter(|error| are_too_many(error)) else {
            return opened;
        };
        let begun = *begun.get_or_insert_with(|| {
            tracing::warn!(%error, "the store waits until it can open a file");
            Instant::now()
        });
        if begun.elapsed() >= patience {
            return opened;
        }
        thread::sleep(PAUSE);
    }
}

fn are_too_many(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_opened_for_too_many_files_is_opened_once_there_are_fewer() {
        let mut refusals = [Errno::MFILE, Errno::NFILE].into_iter();
        let opened = patiently(|| refusals.next().map_or(Ok("opened"), |error| Err(error.into())));
        assert_eq!(opened.expect("opened"), "opened");
    }

    #[test]
    fn nobody_waits_for_a_disk_that_fails_nor_for_ever() {
        for (patience, refusal) in [(PATIENCE, Errno::IO), (Duration::ZERO, Errno::MFILE)] {
            let mut tried = 0;
            let opened = within(patience, || {
                tried += 1;
                Err::<(), _>(refusal.into())
            });
            let error = opened.expect_err("refused");
            assert_eq!((Errno::from_io_error(&error), tried), (Some(refusal), 1));
        }
    }
}
