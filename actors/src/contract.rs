//! The contract room: versions, subscriptions with their terms, invoices, timeline, test clock,
//! and metered usage with its prices.
//!
//! [`Contracts`] is what callers hold. Behind it every contract is one room
//! ([`room::ContractRoom`]); each file has the commands of one noun. A command of several steps
//! collects what it has changed in [`changes::Changes`], where later steps find it.

mod agenda;
mod changes;
mod clock;
mod creation;
mod documents;
mod invoices;
mod issue;
mod lifecycle;
mod messages;
mod metering;
mod prorations;
mod room;
mod strides;
mod subscriptions;
#[cfg(test)]
mod tests;
mod timeline;
mod versions;

use std::collections::BTreeMap;

use ractor::SpawnErr;
use storage::{ReadError, Store};

use self::metering::WaitingUsage;
use self::room::ContractRoom;
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Room as _, RoomSettings, Rooms, Services};
use crate::timers::{Due, TimerKind};

pub use crate::domain::billing::subscription::Counts as LifecycleCounts;
pub use crate::kernel::Once;
pub use clock::AdvanceAnswer;
pub(crate) use creation::CONTRACT_ORDER;
pub use invoices::{InvoiceCounts, IssueOrder, Issued};
pub use metering::{CloseCounts, NewPrice, SeatsChanged, UsageSoFar};
pub use subscriptions::SubscriptionAction;

/// The timers that a contract wants as its rows stand.
pub(crate) fn timers_of(
    store: &Store,
    key: (SellerId, ContractId),
) -> Result<BTreeMap<TimerKind, Timestamp>, ReadError> {
    ContractRoom::load(key, store, &()).map(|mut room| room.timers())
}

#[derive(Clone)]
pub struct Contracts {
    rooms: Rooms<ContractRoom>,
    usage: WaitingUsage,
}

impl Contracts {
    pub async fn start(services: Services, settings: RoomSettings) -> Result<Self, SpawnErr> {
        let rooms = Rooms::start(services, (), settings).await?;
        Ok(Self { rooms, usage: WaitingUsage::default() })
    }

    /// Deletes the row of a timer that the contract does not want; true if that was so.
    pub async fn mend_timer(&self, kind: TimerKind, timer: Due) -> Result<bool, AskError> {
        let id = (timer.seller, ContractId(timer.object));
        self.rooms.mend_timer(id, kind, timer.at).await
    }

    pub fn alive(&self) -> usize {
        self.rooms.alive()
    }

    pub async fn stop(&self) {
        self.rooms.stop().await;
    }

    /// Makes a room panic, in test builds. Always answered as unanswered.
    #[cfg(feature = "faults")]
    pub async fn panic(&self, seller: SellerId, id: ContractId) -> Result<(), AskError> {
        let panics = |_: &_, _: &_| panic!("a test asked the contract room to panic");
        self.rooms.command((seller, id), panics).await
    }
}
