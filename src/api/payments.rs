//! The payments surface.

pub mod allowlist;
pub mod deliveries;
mod key;
pub mod payees;
pub mod payout_methods;
pub mod payouts;
pub mod wallets;
pub mod webhooks;
