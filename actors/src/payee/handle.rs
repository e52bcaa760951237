//! What callers hold of the payee rooms, and what those work with.

use storage::{ReadError, Store};

use super::room::PayeeRoom;
use crate::domain::ids::{PayeeId, PayoutId, SellerId, VendorId};
use crate::domain::payments::payout::PayoutHome;
use crate::domain::platform::address::AddressGuard;
#[cfg(feature = "faults")]
use crate::kernel::AskError;
use crate::kernel::Rooms;
use crate::secrets::SecretBox;
use crate::tables::{PAYEE_HOMES, PAYOUT_HOMES, VENDOR_HOMES, VENDORS};

#[derive(Debug)]
pub struct PayeeTools {
    pub secrets: SecretBox,
    pub guard: AddressGuard,
    /// How long the verification of a demo payee takes (`payments.verification_seconds`).
    pub verification_seconds: i64,
    /// How long a demo payout is under way (`payments.payout_seconds`).
    pub payout_seconds: i64,
}

#[derive(Clone)]
pub struct Payees {
    pub(super) rooms: Rooms<PayeeRoom>,
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

    pub(super) fn store(&self) -> &Store {
        &self.rooms.services().store
    }

    #[cfg(feature = "faults")]
    pub async fn panic(&self, seller: SellerId, id: PayeeId) -> Result<(), AskError> {
        self.rooms
            .command((seller, id), |_, _| panic!("a test asked the payee room to panic"))
            .await
    }
}
