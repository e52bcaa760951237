//! What a contract would bill by a day: a copy of its room lives on to that day by the commands
//! that the passes give, and is thrown away. Nothing of it is written, claimed, told or numbered.

mod run;
mod seen;

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::Semaphore;

use self::run::Run;
use super::metering::NewPrice;
use super::room::{Context, ContractRoom, Decision};
use super::{Contracts, SubscriptionAction};
use crate::directory::SellerSnapshot;
use crate::domain::billing::forecast::{
    Forecast, ForecastRefusal, MAX_ASSUMED_VALUES, MAX_ASSUMPTIONS, check_end,
};
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::usage::{AssumedRefusal, AssumedUsage};
use crate::domain::ids::{ContractId, SellerId, SubscriptionId};
use crate::domain::platform::switches::Switch;
use crate::domain::refusal::Refusal;
use crate::domain::time::{Date, Timestamp};
use crate::kernel::AskError;

/// Forecasts that are made at once: a thread that is busy with one is not there for writes.
static PLACES: Semaphore = Semaphore::const_new(2);

/// The passes that a forecast counts on.
const PASSES: [Switch; 4] = [
    Switch::LifecycleCron,
    Switch::UsageClosePass,
    Switch::RecurringInvoicePass,
    Switch::UsageInvoicePass,
];

#[derive(Clone, Debug)]
pub struct ForecastOrder {
    pub to: Timestamp,
    /// What is used on each day that begins between now and `to`.
    pub usage: Vec<AssumedUsage>,
    pub changes: Vec<AssumedChange>,
    /// Set at the beginning, in this order.
    pub prices: Vec<NewPrice>,
    /// Whether the seller makes the first recurring invoice on the day its terms are due.
    pub first_invoice: bool,
}

/// What is done to a subscription when a day begins, before the passes come by.
#[derive(Clone, Debug)]
pub struct AssumedChange {
    pub on: Date,
    pub subscription: SubscriptionId,
    pub action: SubscriptionAction,
}

impl Contracts {
    /// What a contract would bill from where its clock stands, while nobody pays.
    pub async fn forecast(
        &self,
        seller: SellerId,
        contract: ContractId,
        order: ForecastOrder,
    ) -> Result<Forecast, AskError> {
        let waited = self.rooms.settings().answer_within;
        let place = tokio::time::timeout(waited, PLACES.acquire()).await;
        let Ok(Ok(place)) = place else { return Err(AskError::Busy) };
        let copy = |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            let from = Moment::of(room.clock.as_ref(), cx.now()).engine;
            Ok(Decision::unchanged((room.clone(), from, cx.seller()?)))
        };
        let (room, from, known) = self.rooms.command((seller, contract), copy).await?;
        order.check(&room, from)?;
        order.check_usage(from, &known)?;
        // A copy needs no clock of its own: it is told the time.
        let simulated = room.clock.as_ref().is_some_and(|clock| clock.stands_at().is_some());
        let room = ContractRoom { clock: None, ..room };
        let passes = Arc::new(known.rehearsing(&PASSES));
        let fork = self.rooms.fork((seller, contract), room, passes);
        let run = Run::new(fork, from, order, &known, simulated);
        let work = move || {
            // Kept to the end, also when nobody waits for the forecast any more.
            let _place = place;
            run.until_the_end()
        };
        match tokio::task::spawn_blocking(work).await {
            Ok(made) => Ok(made?),
            Err(error) => {
                tracing::error!(seller = seller.0, contract = contract.0, %error, "a forecast panicked");
                Err(Refusal::fault().into())
            }
        }
    }
}

impl ForecastOrder {
    fn check_usage(&self, from: Timestamp, seller: &SellerSnapshot) -> Result<(), Refusal> {
        let (mut stated, mut a_day) = (BTreeSet::new(), 0);
        for (index, one) in self.usage.iter().enumerate() {
            let metric = seller.metric(&one.metric).map(Arc::as_ref);
            let checked = match stated.insert(&one.metric) {
                true => one.on(from.date(), metric),
                false => Err(AssumedRefusal::Twice(one.metric.clone())),
            };
            let values = checked
                .map_err(|refusal| Refusal::invalid(format!("assume.usage[{index}].{refusal}")))?;
            a_day += values.len();
        }
        let days = usize::try_from(self.to.date().days_since(from.date()) + 1).unwrap_or(0);
        if a_day * days > MAX_ASSUMED_VALUES {
            return Err(ForecastRefusal::TooMuchUsage.into());
        }
        Ok(())
    }

    fn check(&self, room: &ContractRoom, from: Timestamp) -> Result<(), ForecastRefusal> {
        check_end(from, self.to)?;
        for (many, name) in [
            (self.usage.len(), "usage"),
            (self.changes.len(), "changes"),
            (self.prices.len(), "prices"),
        ] {
            if many > MAX_ASSUMPTIONS {
                return Err(ForecastRefusal::TooManyAssumptions(name));
            }
        }
        let (first, last) = (from.date(), self.to.date());
        for (index, change) in self.changes.iter().enumerate() {
            if !(first..=last).contains(&change.on) {
                return Err(ForecastRefusal::ChangeOutside { index, from: first, to: last });
            }
            if !room.subscriptions.contains_key(&change.subscription) {
                return Err(ForecastRefusal::UnknownSubscription(index));
            }
        }
        Ok(())
    }
}
