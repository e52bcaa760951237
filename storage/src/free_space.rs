//! Whether the disk still has room, read from the operating system when somebody asks.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How old a reading may be. What a busy store writes meanwhile is a few per cent of the mark.
const READ_EVERY: Duration = Duration::from_millis(200);

/// The free space of the store's disk, against the mark below which nothing new is to be written.
///
/// The store itself goes on writing what it is given: who takes in work from outside asks here
/// first. Clones share their readings.
#[derive(Clone)]
pub struct FreeSpace {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    mark: u64,
    opened: Instant,
    /// Milliseconds from opening to the moment from which the reading counts as old.
    old_from: AtomicU64,
    bytes: AtomicU64,
    failing: AtomicBool,
    #[cfg(feature = "testing")]
    pretended: parking_lot::Mutex<Option<u64>>,
}

impl FreeSpace {
    /// The free space of the disk that `folder` is on. A `mark` of 0 is never reached.
    pub(crate) fn of(folder: &Path, mark: u64) -> Self {
        let inner = Inner {
            folder: folder.to_owned(),
            mark,
            opened: Instant::now(),
            old_from: AtomicU64::new(0),
            // So that who comes beside the first reading does not find a disk without end.
            bytes: AtomicU64::new(bytes_for_us(folder).unwrap_or(u64::MAX)),
            failing: AtomicBool::new(false),
            #[cfg(feature = "testing")]
            pretended: parking_lot::Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Whether there is less than the mark. Cheap enough to be asked for each request.
    pub fn is_low(&self) -> bool {
        self.mark() > 0 && self.bytes() < self.mark()
    }

    /// Bytes that may still be written, at most a moment ago.
    pub fn bytes(&self) -> u64 {
        let inner = &*self.inner;
        #[cfg(feature = "testing")]
        if let Some(pretended) = *inner.pretended.lock() {
            return pretended;
        }
        let now = u64::try_from(inner.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        let old_from = inner.old_from.load(Ordering::Relaxed);
        let next = now.saturating_add(READ_EVERY.as_millis() as u64);
        // Of several who find it old one reads; the others take what is there.
        let old = &inner.old_from;
        let is_ours = || old.compare_exchange(old_from, next, Ordering::Relaxed, Ordering::Relaxed);
        if now >= old_from && is_ours().is_ok() {
            inner.look();
        }
        inner.bytes.load(Ordering::Relaxed)
    }

    pub fn mark(&self) -> u64 {
        self.inner.mark
    }

    #[cfg(feature = "testing")]
    pub(crate) fn pretend(&self, bytes: Option<u64>) {
        *self.inner.pretended.lock() = bytes;
    }
}

impl Inner {
    fn look(&self) {
        match bytes_for_us(&self.folder) {
            Ok(bytes) => {
                self.bytes.store(bytes, Ordering::Relaxed);
                self.failing.store(false, Ordering::Relaxed);
            }
            // The last reading stands: a disk that is truly ill says so when it is written to.
            Err(error) => {
                if !self.failing.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "the free space of the disk cannot be read");
                }
            }
        }
    }
}

fn bytes_for_us(folder: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(folder)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

impl fmt::Debug for FreeSpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FreeSpace").field("mark", &self.inner.mark).finish_non_exhaustive()
    }
}
