//! The rules: pure and synchronous. No clock, no randomness, no mailbox, no disk.

pub mod chain;
pub mod country;
pub mod email;
pub mod ids;
pub mod json;
pub mod messages;
pub mod money;
mod names;
pub mod quantity;
pub mod refusal;
pub mod text;
pub mod time;
pub mod token;

#[cfg(test)]
pub(crate) mod testing;

pub mod billing;
pub mod payments;
pub mod platform;
pub mod sandbox;
