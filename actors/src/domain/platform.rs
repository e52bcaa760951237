//! Rules of the platform: events, webhooks, sellers and their limits.

pub mod address;
pub mod audit;
pub mod delivery;
pub mod demo_fill;
pub mod event;
pub mod idempotency_key;
pub mod limits;
pub mod person;
pub mod seller;
pub mod switches;
pub mod webhook;
