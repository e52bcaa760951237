//! Setting the limit of a metric.

use super::Change;
use crate::contract::Contracts;
use crate::contract::room::{self, Context, ContractRoom, Effects};
use crate::domain::billing::usage::{LimitChange, MetricName, SEATS, UsageLimit};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

impl Contracts {
    /// Changes what a period of a contract may use of a metric.
    pub async fn set_usage_limit(
        &self,
        seller: SellerId,
        contract: ContractId,
        metric: MetricName,
        change: LimitChange,
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
            let before = room.metering.meters.get(&metric).and_then(|meter| meter.row.limit);
            let limit = change.of(before)?;
            let mut effects = Effects::new();
            effects.change(room::Change::Usage(Change::Limit(metric.clone(), limit)));
            Ok(effects.answer(limit))
        };
        self.rooms.command((seller, contract), set).await
    }
}
