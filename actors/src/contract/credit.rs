//! Stored credit of a contract: granted by hand, drawn by documents, given back, expired.

mod expiry;
mod lots;
mod moves;
mod topup;

pub(super) use lots::CreditLots;
pub(super) use moves::Given;
