//! The rules of Accrue and the rooms that keep them: every contract, payment, payee, seller
//! and subscription by payment link is one supervised actor that owns its rows and decides its
//! writes one after the other.

mod backfill;
pub mod background;
pub mod chunked;
pub mod clock;
pub mod connection_error;
pub mod connector;
pub mod contract;
pub mod delivery;
pub mod directory;
pub mod domain;
pub mod entropy;
pub mod health;
pub mod intake;
pub mod kernel;
pub mod key_uses;
pub mod limiter;
pub mod link_subscription;
pub mod link_tokens;
pub mod listing;
pub mod logos;
pub mod mail;
pub mod outbox;
pub mod passes;
pub mod passwords;
pub mod payee;
pub mod payment;
pub mod query;
pub mod queue;
pub mod sandboxes;
pub mod scheduler;
#[cfg(feature = "schema")]
mod schema;
pub mod secrets;
pub mod seller;
pub mod sums;

pub mod system;
pub mod tables;
#[cfg(test)]
mod testing;
pub mod timers;
pub mod verify;
pub mod watchers;
