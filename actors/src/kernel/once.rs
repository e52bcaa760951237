//! Once for each key: the first request under an idempotency key is carried out, and a repeated
//! one answers what it made.
//!
//! A command that makes something asks [`Context::once`] first and claims the key with what it
//! made ([`Effects::claim`](super::Effects::claim)). Where the key is there, the command ends as
//! [`Once::Before`], and the caller reads what the key stands for. Where two rooms use a key at
//! the same time, the claim of one is lost, and its command is decided again on what is durable
//! by then: it finds the key.

use storage::{Key, Record, Table};

use super::{Context, Effects, Room};
use crate::domain::ids::SellerId;
use crate::domain::platform::idempotency_key::KeyedRequest;
use crate::domain::refusal::Refusal;
use crate::tables::POST_KEYS;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Once<T> {
    Made(T),
    /// The key was used before; nothing was written now.
    Before,
}

impl<T> Once<T> {
    pub fn map<U>(self, of: impl FnOnce(T) -> U) -> Once<U> {
        match self {
            Self::Made(made) => Once::Made(of(made)),
            Self::Before => Once::Before,
        }
    }

    /// What was made under a key of its own.
    #[cfg(test)]
    pub(crate) fn made(self) -> T {
        match self {
            Self::Made(made) => made,
            Self::Before => unreachable!("a key of its own"),
        }
    }
}

/// An idempotency key was used before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated;

/// Why a command under an idempotency key is not carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    Repeated,
    Refused(Refusal),
}

impl From<Repeated> for Halt {
    fn from(_: Repeated) -> Self {
        Self::Repeated
    }
}

impl<E: Into<Refusal>> From<E> for Halt {
    fn from(refusal: E) -> Self {
        Self::Refused(refusal.into())
    }
}

impl<R: Room> Context<R> {
    /// Goes on if this key is free, with what this room has written under way counted.
    pub fn once<K: Key, V: Record>(&self, table: Table<K, V>, key: &K) -> Result<(), Halt> {
        if self.contains(table, key)? { Err(Repeated.into()) } else { Ok(()) }
    }
}

/// The claim on an idempotency key of the payments surface. Each key is used once, in the batch of
/// what its request makes.
#[derive(Clone, Debug)]
pub struct KeyClaim {
    pub endpoint: &'static str,
    pub key: String,
    pub request: KeyedRequest,
}

impl KeyClaim {
    /// Goes on if the key is free.
    pub fn check<R: Room>(&self, cx: &Context<R>, seller: SellerId) -> Result<(), Halt> {
        cx.once(POST_KEYS, &self.row(seller))
    }

    /// Uses the key for `object`, which its request makes or acts on.
    pub fn hold<R: Room>(&self, effects: &mut Effects<R>, seller: SellerId, object: u64) {
        effects.claim(POST_KEYS, &self.row(seller), &self.request.record(object));
    }

    #[cfg(test)]
    pub(crate) fn testing(endpoint: &'static str, key: &str) -> Self {
        Self { endpoint, key: key.to_owned(), request: KeyedRequest::default() }
    }

    pub(crate) fn row(&self, seller: SellerId) -> (SellerId, String, String) {
        (seller, self.endpoint.to_owned(), self.key.clone())
    }
}
