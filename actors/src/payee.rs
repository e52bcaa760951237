//! The payee room: one for each payee, with its payout methods, wallets and payouts.
//!
//! [`Payees`] is what callers hold. All that moves a payee's money passes through its room: shares
//! of payments come as messages, payouts as commands, and each movement is one write of the
//! wallet, its entry in the ledger, and what caused it.

mod archiving;
mod call_backs;
mod payees;
mod payout_methods;
mod payouts;
mod room;
mod shares;
mod taken_spans;
#[cfg(test)]
mod tests;
mod timers;
mod vendors;
mod wallets;

use std::collections::BTreeMap;

use storage::{ReadError, Store, View};

use crate::domain::ids::{PayeeId, PayoutId, SellerId, VendorId};
use crate::domain::payments::payout::PayoutHome;
use crate::domain::platform::address::AddressGuard;
use crate::domain::time::Timestamp;
#[cfg(feature = "faults")]
use crate::kernel::AskError;
use crate::kernel::{Room as _, Rooms};
use crate::secrets::SecretBox;
use crate::tables::{PAYEE_HOMES, PAYOUT_HOMES, VENDOR_HOMES, VENDORS};
use crate::timers::TimerKind;

pub use payees::{CreatedPayee, PayeeOrder};
pub use payouts::CreatedPayout;
pub use room::PayeeRoom;
pub(crate) use taken_spans::list_all as list_taken_spans;

#[derive(Debug)]
pub struct PayeeTools {
    pub secrets: SecretBox,
    pub guard: AddressGuard,
    /// How long the verification of a demo payee takes (`payments.verification_seconds`).
    pub verification_seconds: i64,
    /// How long a demo payout is under way (`payments.payout_seconds`).
    pub payout_seconds: i64,
}

/// The timers that a payee, or the seller's own money, wants as its rows stand.
pub(crate) fn timers_of(
    rows: &View,
    key: (SellerId, PayeeId),
) -> Result<BTreeMap<TimerKind, Timestamp>, ReadError> {
    PayeeRoom::read(key, rows).map(|mut room| room.timers())
}

/// The handle to all payee rooms. Clones are the same handle.
#[derive(Clone)]
pub struct Payees {
    rooms: Rooms<PayeeRoom>,
}

impl Payees {
    pub fn new(rooms: Rooms<PayeeRoom>) -> Self {
        Self { rooms }
    }

    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// Whose a payee is; the operator knows the payee alone.
    pub fn seller_of(&self, id: PayeeId) -> Result<Option<SellerId>, ReadError> {
        self.store().get(PAYEE_HOMES, &id)
    }

    /// Whose a payout is; the operator knows the payout alone.
    pub fn home_of(&self, id: PayoutId) -> Result<Option<PayoutHome>, ReadError> {
        self.store().get(PAYOUT_HOMES, &id)
    }

    pub fn home_of_vendor(
        &self,
        vendor: VendorId,
    ) -> Result<Option<(SellerId, PayeeId)>, ReadError> {
        let Some(seller) = self.store().get(VENDOR_HOMES, &vendor)? else {
            return Ok(None);
        };
        let payee = self.store().get(VENDORS, &(seller, vendor))?;
        Ok(payee.map(|payee| (seller, payee)))
    }

    fn store(&self) -> &Store {
        &self.rooms.services().store
    }

    #[cfg(feature = "faults")]
    pub async fn panic(&self, seller: SellerId, id: PayeeId) -> Result<(), AskError> {
        self.rooms
            .command((seller, id), |_, _| panic!("a test asked the payee room to panic"))
            .await
    }
}
