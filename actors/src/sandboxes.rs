//! Sandbox accounts: how much they may keep, and that they are removed after their end.

mod keeping;
mod removal;

pub use keeping::{Full, Keeping};
pub use removal::{Removal, RemovalError};
