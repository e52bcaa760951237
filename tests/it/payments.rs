//! `/payments-api/v1`.

mod allowlist;
mod archiving;
mod capture;
pub(crate) mod checkout;
mod deliveries;
mod device;
mod events;
mod failure_codes;
mod finalize;
mod initiation;
mod live;
mod one_key;
mod own_money;
mod payees;
mod payout_methods;
mod payouts;
mod reading;
mod reconciling;
mod refund;
mod replay;
mod split_decisions;
mod terminals;
mod topups;
mod vendors;
mod wallets;
mod webhooks;
