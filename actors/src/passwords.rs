//! Hashing passwords: some at once, away from the threads that serve, and so many waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use crate::domain::platform::person::{Password, PasswordHash};
use crate::entropy::Entropy;

/// Each takes 19 MiB and a core for tens of milliseconds.
const AT_ONCE: usize = 2;
/// Beyond so many waiting a caller is told to come again.
const MOST_WAITING: usize = 64;

/// More are waiting than can be served soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked")]
pub struct Crowded;

/// Clones share their places.
#[derive(Clone, Debug)]
pub struct Passwords {
    places: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

impl Default for Passwords {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(AT_ONCE)), waiting: Arc::default() }
    }
}

impl Passwords {
    /// What is kept of a password that somebody chose.
    pub async fn hash(&self, password: Password) -> Result<PasswordHash, Crowded> {
        let salt = Entropy.bytes();
        self.run(move || PasswordHash::of_chosen(&password, salt)).await
    }

    /// Whether it is the password of `known`; as long for nobody as for somebody.
    pub async fn opens(
        &self,
        known: Option<PasswordHash>,
        password: Password,
    ) -> Result<bool, Crowded> {
        self.run(move || PasswordHash::opens(known.as_ref(), &password)).await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Crowded> {
        let _waiting = Waiting::join(&self.waiting)?;
        let place = Arc::clone(&self.places).acquire_owned().await.map_err(|_| Crowded)?;
        let work = move || {
            // Kept to the end, also when nobody waits for it any more.
            let _place = place;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| Crowded)
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn join(count: &'a AtomicUsize) -> Result<Self, Crowded> {
        let before = count.fetch_add(1, Ordering::AcqRel);
        let joined = Self(count);
        if before < MOST_WAITING { Ok(joined) } else { Err(Crowded) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password() -> Password {
        Password::chosen("correct horse").expect("long enough")
    }

    #[tokio::test]
    async fn a_hash_opens_with_its_password() {
        let passwords = Passwords::default();
        let hash = passwords.hash(password()).await.expect("hashed");
        assert_eq!(passwords.opens(Some(hash.clone()), password()).await, Ok(true));
        let wrong = Password::chosen("another horse").expect("long enough");
        assert_eq!(passwords.opens(Some(hash), wrong).await, Ok(false));
        assert_eq!(passwords.opens(None, password()).await, Ok(false));
    }

    #[tokio::test]
    async fn beyond_a_crowd_nobody_waits() {
        let passwords = Passwords::default();
        let places = passwords.places.acquire_many(2).await.expect("all places");
        let waiting: Vec<_> = (0..MOST_WAITING)
            .map(|_| {
                let passwords = passwords.clone();
                tokio::spawn(async move { passwords.run(|| 1).await })
            })
            .collect();
        while passwords.waiting.load(Ordering::Acquire) < MOST_WAITING {
            tokio::task::yield_now().await;
        }
        assert_eq!(passwords.run(|| 1).await, Err(Crowded));
        drop(places);
        for one in waiting {
            assert_eq!(one.await.expect("joined"), Ok(1));
        }
        assert_eq!(passwords.run(|| 1).await, Ok(1));
    }
}
