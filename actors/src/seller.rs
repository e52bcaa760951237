//! The seller room: the account with its people and keys, switches, customers, webhooks, allowlist,
//! terminals, split rules, metrics and inbound endpoints, and the money it brings in.
//!
//! [`Sellers`] is what callers hold; each noun has a file with its commands.

mod accounts;
mod allowlist;
mod api_keys;
mod audit;
mod customers;
mod dead_letters;
mod demo_fill;
mod going_live;
mod idempotency_keys;
mod inbound_endpoints;
mod mails;
mod metrics;
mod onboarding;
mod payment_links;
mod people;
mod promo_codes;
mod room;
mod sessions;
mod split_rules;
mod terminals;
mod topups;
mod uploads;
mod webhooks;

use storage::Store;

use crate::domain::platform::address::AddressGuard;
use crate::kernel::Rooms;
use crate::secrets::SecretBox;

pub(crate) use accounts::AGREEMENTS;
pub use accounts::Minted;
pub use dead_letters::SignedDelivery;
pub use inbound_endpoints::EndpointAnswer;
pub(crate) use promo_codes::{REDEEMED, RESERVED};
pub use room::SellerRoom;
pub use sessions::Opened;
pub(crate) use uploads::Counted;
pub use webhooks::WebhookAnswer;

#[derive(Debug)]
pub struct SellerTools {
    /// Which addresses webhooks may name.
    pub guard: AddressGuard,
    /// Seals webhook secrets and the keys of terminals.
    pub secrets: SecretBox,
    /// How many dead letters a seller may have parked.
    pub max_letters: u64,
}

/// The handle to all seller rooms. Clones are the same handle.
#[derive(Clone)]
pub struct Sellers {
    rooms: Rooms<SellerRoom>,
    store: Store,
}

impl Sellers {
    pub fn new(rooms: Rooms<SellerRoom>, store: Store) -> Self {
        Self { rooms, store }
    }

    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    pub async fn stop(&self) {
        self.rooms.stop().await;
    }
}

#[cfg(feature = "faults")]
impl Sellers {
    pub async fn panic(
        &self,
        id: crate::domain::ids::SellerId,
    ) -> Result<(), crate::kernel::AskError> {
        self.rooms.command(id, |_, _| panic!("a test asked the seller room to panic")).await
    }
}
