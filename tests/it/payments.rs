//! `/payments-api/v1`.

mod allowlist;
mod deliveries;
mod events;
mod webhooks;
