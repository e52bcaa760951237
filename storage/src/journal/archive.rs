//! The thread that copies files of the journal to the archive, before they are used again.
//!
//! It only reads the journal. The newest file is copied as far as it goes, and again as it grows,
//! until it is large enough for the next group to begin another.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::place::Place;
use super::read::ChainError;
use super::{Journal, seal};
use crate::fatal::{Fuse, guarded};

/// How often what was written is copied.
const EVERY: Duration = Duration::from_secs(10);
/// The part of a file's bytes from which on it is not copied again as it grows.
const LEAST_PART: u64 = 64;

pub(crate) struct Archiver {
    inner: Arc<Inner>,
    thread: Option<JoinHandle<()>>,
}

/// Why the archive could not be written, if that is so. Clones see the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Archive {
    fault: Arc<Mutex<Option<String>>>,
}

struct Inner {
    journal: Arc<Mutex<Journal>>,
    folder: PathBuf,
    archive: Archive,
    stopping: Mutex<bool>,
    stop: Condvar,
}

impl Archive {
    pub(crate) fn fault(&self) -> Option<String> {
        self.fault.lock().clone()
    }

    fn note(&self, done: Result<(), ChainError>) {
        let mut fault = self.fault.lock();
        match (done, fault.is_some()) {
            (Err(error), was_ill) => {
                if !was_ill {
                    tracing::error!(%error, "the archive of the journal cannot be written, its files are kept meanwhile");
                }
                *fault = Some(error.to_string());
            }
            (Ok(()), true) => {
                tracing::info!("the archive of the journal is written again");
                *fault = None;
            }
            (Ok(()), false) => {}
        }
    }
}

impl Archiver {
    pub(crate) fn start(
        journal: &Arc<Mutex<Journal>>,
        folder: &Path,
        archive: &Archive,
        fuse: &Arc<Fuse>,
    ) -> io::Result<Self> {
        // What the archive holds is seen when it is asked for each file.
        journal.lock().archived = 0;
        let inner = Arc::new(Inner {
            journal: Arc::clone(journal),
            folder: folder.to_owned(),
            archive: archive.clone(),
            stopping: Mutex::new(false),
            stop: Condvar::new(),
        });
        let (runner, fuse) = (Arc::clone(&inner), Arc::clone(fuse));
        let run = move || {
            if let Err(panicked) = guarded(|| runner.run()) {
                fuse.blow(&format!("the archiver panicked: {panicked}"));
            }
        };
        let thread = thread::Builder::new().name("store-archive".to_owned()).spawn(run)?;
        Ok(Self { inner, thread: Some(thread) })
    }
}

impl Drop for Archiver {
    /// Copies what there is, and ends the thread.
    fn drop(&mut self) {
        *self.inner.stopping.lock() = true;
        self.inner.stop.notify_one();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the archiver has panicked");
        }
    }
}

impl Inner {
    fn run(&self) {
        loop {
            // Asked before the copying: what is written meanwhile is left for one more round.
            let is_last = *self.stopping.lock();
            self.archive.note(self.copy());
            if is_last {
                return;
            }
            let mut stopping = self.stopping.lock();
            if !*stopping {
                self.stop.wait_for(&mut stopping, every());
            }
        }
    }

    /// Copies all groups that are not copied yet.
    fn copy(&self) -> Result<(), ChainError> {
        let (journal, store, files) = {
            let mut journal = self.journal.lock();
            (journal.folder.clone(), journal.store(), journal.unarchived())
        };
        let home = journal.parent().unwrap_or(&journal);
        let place = Place::of(home, store, &self.folder)?;
        let mut reached = place.find()?;
        for (number, last) in files {
            seal::copy(&journal, number, last, &self.folder)?;
            // After a start files are copied once more that the archive has long had.
            if reached < Some(number) {
                place.note(number)?;
                reached = Some(number);
            }
            self.journal.lock().archived = last;
        }
        super::reclaim(&self.journal);
        Ok(())
    }
}

impl Journal {
    /// The files with groups that the archive has not got, in their order, and the last group of
    /// each.
    fn unarchived(&mut self) -> Vec<(u64, u64)> {
        self.begins_file |= self.newest.end >= self.sizes.file / LEAST_PART;
        let newest = self.has_groups().then_some((self.newest.head.number, self.last));
        let sealed = self.sealed.iter().map(|sealed| (sealed.number, sealed.last));
        sealed.chain(newest).filter(|(_, last)| *last > self.archived).collect()
    }
}

fn every() -> Duration {
    #[cfg(feature = "testing")]
    if crate::testing::segment_bytes().is_some() {
        return Duration::from_millis(50);
    }
    EVERY
}

#[cfg(test)]
mod tests;
