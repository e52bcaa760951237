//! The thread that copies sealed files of the journal to the archive, before they are used again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::read::ChainError;
use super::{Journal, Sealed, seal};
use crate::fatal::{Fuse, guarded};

/// How often what was written is sealed and copied.
const EVERY: Duration = Duration::from_secs(10);

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
        journal.lock().is_archived = true;
        let inner = Arc::new(Inner {
            journal: Arc::clone(journal),
            folder: folder.to_owned(),
            archive: archive.clone(),
            stopping: Mutex::new(false),
            stop: Condvar::new(),
        });
        let (runner, fuse) = (Arc::clone(&inner), Arc::clone(fuse));
        let run = move || match guarded(|| runner.run()) {
            Ok(Ok(())) => {}
            // A file that was begun by half must not be gone on with.
            Ok(Err(error)) => fuse.blow(&format!("the journal could not be sealed: {error}")),
            Err(panicked) => fuse.blow(&format!("the archiver panicked: {panicked}")),
        };
        let thread = thread::Builder::new().name("store-archive".to_owned()).spawn(run)?;
        Ok(Self { inner, thread: Some(thread) })
    }
}

impl Drop for Archiver {
    /// Seals and copies what there is, and ends the thread.
    fn drop(&mut self) {
        *self.inner.stopping.lock() = true;
        self.inner.stop.notify_one();
        if self.thread.take().is_some_and(|thread| thread.join().is_err()) {
            tracing::error!("the archiver has panicked");
        }
    }
}

impl Inner {
    fn run(&self) -> io::Result<()> {
        loop {
            // While nothing can be copied nothing more is sealed: there would be a file for each
            // round.
            self.archive.note(self.copy());
            if self.archive.fault().is_none() {
                self.journal.lock().seal_groups()?;
                self.archive.note(self.copy());
            }
            let mut stopping = self.stopping.lock();
            if *stopping {
                return Ok(());
            }
            self.stop.wait_for(&mut stopping, EVERY);
        }
    }

    /// Copies all files that are sealed and not copied yet.
    fn copy(&self) -> Result<(), ChainError> {
        seal::make(&self.folder)?;
        let (home, waiting) = {
            let journal = self.journal.lock();
            (journal.folder.clone(), journal.not_archived())
        };
        for Sealed { number, last, .. } in waiting {
            seal::copy(&home, number, last, &self.folder)?;
            self.journal.lock().note_archived(number);
        }
        Ok(())
    }
}

impl Journal {
    /// Seals the newest file, unless it has no groups.
    fn seal_groups(&mut self) -> io::Result<()> {
        if self.has_groups() { self.seal() } else { Ok(()) }
    }

    fn not_archived(&self) -> Vec<Sealed> {
        self.sealed.iter().filter(|sealed| !sealed.is_archived).copied().collect()
    }

    fn note_archived(&mut self, number: u64) {
        let sealed = self.sealed.iter_mut().find(|sealed| sealed.number == number);
        if let Some(sealed) = sealed {
            sealed.is_archived = true;
        }
    }
}
