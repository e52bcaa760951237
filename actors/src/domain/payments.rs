//! Rules of payments.

pub mod amount;
pub mod bank;
pub mod book;
pub mod card;
pub mod failure;
pub mod ledger;
pub mod payee;
pub mod payment;
pub mod payout;
pub mod payout_method;
pub mod pool;
pub mod share;
pub mod split;
pub mod terminal;
pub mod wallet;
