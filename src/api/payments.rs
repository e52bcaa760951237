//! The payments surface.

pub mod allowlist;
pub mod checkout;
pub mod deliveries;
pub mod device;
mod idempotency_key;
pub mod major;
pub mod payees;
pub mod payment;
pub mod payment_methods;
pub mod payout_methods;
pub mod payouts;
mod split;
pub mod split_decisions;
pub mod topups;
pub mod vendors;
pub mod wallets;
pub mod webhooks;
