//! What happens when the disk can no longer be trusted.
//!
//! After a flush or sync that failed nobody can know what is on the disk, so nothing may be
//! written behind it: the process ends, and starts again from what is really there.

use std::panic;
use std::sync::{Arc, Once, OnceLock, Weak};
use std::thread;

use parking_lot::Mutex;

/// The exit code of a process that ended itself over its disk: "internal software error" of
/// `sysexits.h`.
const EXIT_CODE: i32 = 70;

/// The beginning of the names of the engine's own I/O threads.
const ENGINE_THREADS: &str = "sled-io-";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fatal {
    /// Log, say so on standard error, and end the process with exit code 70.
    #[default]
    ExitProcess,
    /// Answer each later commit with [`CommitError::Failed`](crate::CommitError::Failed). For
    /// tests, which cannot end their process.
    Poison,
}

/// Blows once, and stays blown.
#[derive(Debug)]
pub(crate) struct Fuse {
    policy: Fatal,
    reason: OnceLock<String>,
}

impl Fuse {
    /// A whole fuse, which a panic on a thread of the engine blows as well.
    pub(crate) fn new(policy: Fatal) -> Arc<Self> {
        let fuse = Arc::new(Self { policy, reason: OnceLock::new() });
        watch_engine_threads(&fuse);
        fuse
    }

    /// Ends the process, or remembers that nothing may be written any more.
    pub(crate) fn blow(&self, reason: &str) {
        tracing::error!(reason, "the store has stopped: its disk can no longer be trusted");
        if self.policy == Fatal::ExitProcess {
            eprintln!("accrue: the store has stopped, its disk can no longer be trusted: {reason}");
            std::process::exit(EXIT_CODE);
        }
        // The first reason is the one that matters.
        let _ = self.reason.set(reason.to_owned());
    }

    pub(crate) fn blown(&self) -> Option<&str> {
        self.reason.get().map(String::as_str)
    }
}

/// The fuses of all open stores: the engine's threads serve them together.
static FUSES: Mutex<Vec<Weak<Fuse>>> = Mutex::new(Vec::new());
static HOOK: Once = Once::new();

/// The engine hands writes to threads of its own and waits for them for ever: when one panics,
/// nothing but the panic hook can tell.
fn watch_engine_threads(fuse: &Arc<Fuse>) {
    let mut fuses = FUSES.lock();
    fuses.retain(|known| known.strong_count() > 0);
    fuses.push(Arc::downgrade(fuse));
    drop(fuses);

    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panicked| {
            if quiet::is_on() {
                return;
            }
            before(panicked);
            if thread::current().name().is_some_and(|name| name.starts_with(ENGINE_THREADS)) {
                let fuses: Vec<_> = FUSES.lock().iter().filter_map(Weak::upgrade).collect();
                for fuse in fuses {
                    fuse.blow(&format!("a thread of the engine panicked: {panicked}"));
                }
            }
        }));
    });
}

/// Runs what may panic, and gives the panic's message in place of an answer.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(panic::AssertUnwindSafe(work)).map_err(|panicked| {
        let text = panicked.downcast_ref::<&str>().map(|text| (*text).to_owned());
        text.or_else(|| panicked.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without words".to_owned())
    })
}

/// Like [`guarded`], with nothing on standard error: the caller tells it better.
pub(crate) fn quietly_guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let _quiet = quiet::Quiet::begin();
    guarded(work)
}

mod quiet {
    use std::cell::Cell;

    thread_local! {
        static QUIET: Cell<bool> = const { Cell::new(false) };
    }

    /// Keeps the panic hook silent on this thread while it lives.
    pub(super) struct Quiet;

    impl Quiet {
        pub(super) fn begin() -> Self {
            QUIET.set(true);
            Self
        }
    }

    impl Drop for Quiet {
        fn drop(&mut self) {
            QUIET.set(false);
        }
    }

    pub(super) fn is_on() -> bool {
        QUIET.get()
    }
}
