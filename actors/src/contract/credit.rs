//! Stored credit of a contract: granted by hand, drawn by documents, given back, expired.

mod auto_topup;
mod expiry;
mod lots;
mod moves;
mod packs;
mod topup;
mod totals;

pub(super) use lots::CreditLots;
pub(super) use moves::Given;
pub(crate) use totals::count_once;
