//! The contract room: versions, subscriptions with their terms, invoices, timeline, test clock,
//! and metered usage with its prices.
//!
//! [`Contracts`] is what callers hold. Behind it every contract is one room
//! ([`room::ContractRoom`]); each file has the commands of one noun. A command of several steps
//! collects what it has changed in [`changes::Changes`], where later steps find it.

mod agenda;
mod billing_run;
mod changes;
mod clock;
mod collecting;
mod collection;
mod creation;
mod credit;
mod deposits;
mod documents;
mod draft_places;
mod drafts;
mod endings;
mod followable;
mod forecast;
mod invoice_rows;
mod invoices;
mod issue;
mod items;
mod lifecycle;
mod loading;
mod mails;
mod messages;
mod metering;
mod projection;
mod prorations;
mod room;
mod strides;
mod subscriptions;
#[cfg(test)]
mod tests;
mod unbilled;
mod usage_documents;
mod versions;

use std::collections::BTreeMap;

use ractor::SpawnErr;
use storage::{ReadError, View};

use self::metering::WaitingUsage;
use self::room::ContractRoom;
use self::unbilled::Unbilled;
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::Timestamp;
use crate::kernel::{AskError, Room as _, RoomSettings, Rooms, Services};
use crate::payment::Payments;
use crate::timers::{Due, TimerKind};

pub use crate::domain::billing::subscription::Counts as LifecycleCounts;
pub use crate::kernel::Once;
pub use billing_run::BillingRun;
pub use clock::AdvanceAnswer;
pub(crate) use collecting::list_all as list_collecting;
pub use collection::CollectionCounts;
pub(crate) use creation::CONTRACT_ORDER;
pub(crate) use credit::count_once as count_credit_once;
pub(crate) use draft_places::list_all as list_drafts;
pub use drafts::{DraftOrder, IssuedOtherwise};
pub(crate) use followable::list_all as list_followable;
pub use forecast::{AssumedChange, ForecastOrder};
pub use invoices::{InvoiceCounts, IssueOrder, Issued};
pub use metering::{CloseCounts, NewPrice, SeatsChanged, UsageSoFar};
pub use subscriptions::SubscriptionAction;

/// The timers that a contract wants as its rows stand.
pub(crate) fn timers_of(
    store: &View,
    key: (SellerId, ContractId),
) -> Result<BTreeMap<TimerKind, Timestamp>, ReadError> {
    ContractRoom::load(key, store, &Unbilled::default()).map(|mut room| room.timers())
}

#[derive(Clone)]
pub struct Contracts {
    rooms: Rooms<ContractRoom>,
    usage: WaitingUsage,
    /// Who charges saved cards.
    payments: Payments,
}

impl Contracts {
    pub async fn start(
        services: Services,
        payments: Payments,
        settings: RoomSettings,
    ) -> Result<Self, SpawnErr> {
        let rooms = Rooms::start(services, Unbilled::default(), settings).await?;
        Ok(Self { rooms, usage: WaitingUsage::default(), payments })
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
