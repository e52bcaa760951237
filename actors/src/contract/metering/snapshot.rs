//! What was used so far in the open periods.

use crate::contract::Contracts;
use crate::contract::room::{Context, ContractRoom, Decision};
use crate::domain::billing::pricing::in_force;
use crate::domain::billing::usage::{MetricUsage, UsageTotal};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

impl Contracts {
    pub async fn usage(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<Vec<MetricUsage>, AskError> {
        let show = |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            Ok(Decision::unchanged(room.open_usage(cx)?))
        };
        self.rooms.command((seller, contract), show).await
    }
}

impl ContractRoom {
    fn open_usage(&self, cx: &Context) -> Result<Vec<MetricUsage>, Refusal> {
        let open = self.coverage.period_of(cx.now().date()).map(|period| period.span);
        let mut shown = Vec::new();
        for (metric, meter) in &self.metering.meters {
            let used = match open {
                Some(span) => meter.total(cx, (self.seller, self.id), metric, span)?.used(),
                None => UsageTotal::default().used(),
            };
            if used.events > 0 || meter.row.limit.is_some() {
                let price = open.and_then(|period| in_force(&meter.prices, period));
                let allotment = price.and_then(|price| price.config.allotment());
                let included = allotment.map(|allotment| allotment.included_units.value());
                let limit = meter.row.limit;
                shown.push(MetricUsage::of(metric.clone(), used, included, limit, open));
            }
        }
        Ok(shown)
    }
}
