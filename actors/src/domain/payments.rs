//! Rules of payments.

pub mod amount;
pub mod bank;
pub mod book;
pub mod card;
pub mod failure;
pub mod initiation;
pub mod ledger;
pub mod logo;
pub mod method;
pub mod payee;
pub mod payment;
pub mod payout;
pub mod payout_method;
pub mod pool;
pub mod safeguarding;
pub mod session;
pub mod share;
pub mod source;
pub mod split;
pub mod terminal;
pub mod topup;
pub mod vendor;
pub mod wallet;
