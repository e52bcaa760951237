//! Stored credit of a contract: lots that are granted, paid for or given back, drawn by invoices
//! in a fixed order, and forfeited when they expire.
//!
//! The ledger is a row for each movement: a `topup` is a lot, a `deduction`, an `expiry` or a
//! `reversal` takes from one. Replaying them gives what is left of each lot, and the balances.

mod auto_topup;
mod balances;
mod draw;
mod entry;
mod event;
mod give_back;
mod kinds;
mod lot;
mod refusal;
#[cfg(test)]
mod tests;
mod topup;

pub use auto_topup::{AutoTopup, Buying, PackEnd, PackTerms, auto_topup_failed, pack_end};
pub use balances::CreditBalances;
pub use draw::{CreditDrawn, DrawnLot, MAX_LOTS_DRAWN, draw};
pub use entry::{CreditEntry, CreditKey, DrawnCredit};
pub use event::{credit_applied, credit_depleted};
pub use give_back::{CreditMoment, expired, failed_at_settlement, give_back, mint, reverse};
pub use kinds::{CreditKind, CreditType};
pub use lot::{Lot, LotOrder};
pub use refusal::CreditRefusal;
pub use topup::{MAX_OPEN_LOTS, NewTopup, first_difference, top_up};
