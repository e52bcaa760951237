//! `/payments-api/v1`.

mod allowlist;
mod deliveries;
mod events;
mod payees;
mod payout_methods;
mod payouts;
mod wallets;
mod webhooks;
