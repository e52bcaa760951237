//! The payee room: one for each payee, with its payout methods, wallets and payouts.
//!
//! [`Payees`] is what callers hold. All that moves a payee's money passes through its room: shares
//! of payments come as messages, payouts as commands, and each movement is one write of the
//! wallet, its entry in the ledger, and what caused it.

mod archiving;
mod call_backs;
mod handle;
mod payees;
mod payout_methods;
mod payouts;
mod room;
mod shares;
#[cfg(test)]
mod tests;
mod timer;
mod vendors;
mod wallets;

use std::collections::BTreeMap;

use storage::{ReadError, View};

use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::time::Timestamp;
use crate::kernel::Room as _;
use crate::timers::TimerKind;

pub use handle::{PayeeTools, Payees};
pub use payees::{CreatedPayee, PayeeOrder};
pub use payouts::CreatedPayout;
pub use room::PayeeRoom;

/// The timers that a payee, or the seller's own money, wants as its rows stand.
pub(crate) fn timers_of(
    rows: &View,
    key: (SellerId, PayeeId),
) -> Result<BTreeMap<TimerKind, Timestamp>, ReadError> {
    PayeeRoom::read(key, rows).map(|mut room| room.timers())
}
