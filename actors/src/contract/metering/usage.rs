//! What was used so far in the open periods (billing 2.5).

use storage::{Batch, ReadError};

use super::meter::Home;
use crate::contract::command::Answer;
use crate::contract::room::ContractRoom;
use crate::contract::write::unexpected;
use crate::domain::billing::pricing::in_force;
use crate::domain::billing::usage::{MetricUsage, UsageTotal};
use crate::domain::refusal::Refusal;
use crate::room::Desk;

impl ContractRoom {
    pub(super) fn usage(&mut self, desk: &Desk<Self>, reply: Answer<Vec<MetricUsage>>) {
        if self.contract.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        let usage = match self.open_periods(desk) {
            Ok(usage) => usage,
            Err(error) => return reply.send(Err(self.unreadable(desk, &error))),
        };
        if desk.answered() == desk.submitted() {
            return reply.send(Ok(usage));
        }
        // It has events in it that are not durable yet: nobody is told of them before they are.
        desk.commit(Batch::new(), reply, |result| result.map(|_| usage).map_err(unexpected));
    }

    fn open_periods(&mut self, desk: &Desk<Self>) -> Result<Vec<MetricUsage>, ReadError> {
        let home = Home { seller: self.seller, contract: self.id };
        let coverage = self.metering.coverage(&self.subscriptions);
        let open = coverage.period_of(desk.now().date()).map(|period| period.span);
        let mut shown = Vec::new();
        for (metric, meter) in &mut self.metering.meters {
            let used = match open {
                Some(span) => meter.total(desk.store(), home, metric, span)?.used(),
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
