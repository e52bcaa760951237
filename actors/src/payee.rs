//! The payee room: one for each payee, with its payout methods, wallets and payouts.
//!
//! [`Payees`] is what callers hold. All that moves a payee's money passes through its room: shares
//! of payments come as messages, payouts as commands, and each movement is one write of the
//! wallet, its entry in the ledger, and what caused it.

mod calling;
mod changing;
mod command;
mod handle;
mod making;
mod methods;
mod paying;
mod record;
mod room;
mod taking;
#[cfg(test)]
mod tests;
mod vendors;
mod wallets;
mod write;

pub use command::{Opened, Paid, PayeeOrder, PayeeTools};
pub use handle::{Asked, Payees};
pub use record::{PayoutHome, PayoutPlaces};
pub use room::PayeeRoom;
