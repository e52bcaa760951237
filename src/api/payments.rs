//! The payments surface.

pub mod allowlist;
pub mod deliveries;
mod key;
pub mod webhooks;
