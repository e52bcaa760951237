//! Rules of the platform: events, webhooks, sellers and their limits.

pub mod address;
pub mod delivery;
pub mod event;
pub mod limits;
pub mod post_key;
pub mod seller;
pub mod switches;
pub mod webhook;
