//! Locks of the paths that every request takes.
//!
//! Who waits for one of them sleeps until it is let go. A lock that yields its processor while it
//! waits is put behind everything else that runs: with all processors busy each contention then
//! costs a scheduling round of some milliseconds, thousands of times what the lock is held for.
//!
//! A panic under a lock leaves it usable: one on the way to the disk stops the store by itself, and
//! nothing else is changed under them.

pub(crate) use std::sync::MutexGuard;
use std::sync::{PoisonError, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

#[derive(Debug, Default)]
pub(crate) struct Condvar(std::sync::Condvar);

#[derive(Debug, Default)]
pub(crate) struct RwLock<T>(std::sync::RwLock<T>);

impl<T> RwLock<T> {
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Condvar {
    pub(crate) fn wait<'g, T>(&self, guard: MutexGuard<'g, T>) -> MutexGuard<'g, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for so long at most.
    pub(crate) fn wait_for<'g, T>(
        &self,
        guard: MutexGuard<'g, T>,
        most: Duration,
    ) -> MutexGuard<'g, T> {
        self.0.wait_timeout(guard, most).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}
