//! Setting the limit of a metric (billing 2.5, 4.6 rule 5).

use crate::contract::command::Answer;
use crate::contract::room::ContractRoom;
use crate::contract::write::{Write, unexpected};
use crate::domain::billing::usage::{MetricName, SEATS, UsageLimit};
use crate::domain::refusal::Refusal;
use crate::room::Desk;

impl ContractRoom {
    /// Sets what a period may use of a metric; nothing takes the limit away.
    pub(super) fn set_usage_limit(
        &mut self,
        desk: &Desk<Self>,
        metric: &MetricName,
        limit: Option<UsageLimit>,
        reply: Answer<Option<UsageLimit>>,
    ) {
        if self.contract.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        if metric.is_seats() {
            let text = format!("metric {SEATS} takes no limit: seats are recorded one by one");
            return reply.send(Err(Refusal::invalid(text)));
        }
        if write.snapshot.metric(metric).is_none() {
            let text = format!("metric {metric} is not registered");
            return reply.send(Err(Refusal::invalid(text)));
        }
        let home = self.home();
        let meter = self.metering.meters.entry(metric.clone()).or_default();
        meter.row.limit = limit;
        meter.put_row(&mut write.batch, home, metric);
        write.finish(self, desk, reply, move |result| result.map(|_| limit).map_err(unexpected));
    }
}
