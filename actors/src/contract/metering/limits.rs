//! Setting the limit of a metric.

use super::Change;
use crate::contract::Contracts;
use crate::contract::room::{self, Context, ContractRoom, Effects};
use crate::domain::billing::usage::{MetricName, SEATS, UsageLimit};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

impl Contracts {
    /// Sets what a period of a contract may use of a metric; nothing takes the limit away.
    pub async fn set_usage_limit(
        &self,
        seller: SellerId,
        contract: ContractId,
        metric: MetricName,
        limit: Option<UsageLimit>,
    ) -> Result<Option<UsageLimit>, AskError> {
        let set = move |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            let snapshot = cx.seller()?;
            if metric.is_seats() {
                let text = format!("metric {SEATS} takes no limit: seats are recorded one by one");
                return Err(Refusal::invalid(text));
            }
            if snapshot.metric(&metric).is_none() {
                return Err(Refusal::invalid(format!("metric {metric} is not registered")));
            }
            let mut effects = Effects::new();
            effects.change(room::Change::Usage(Change::Limit(metric.clone(), limit)));
            Ok(effects.answer(limit))
        };
        self.rooms.command((seller, contract), set).await
    }
}
