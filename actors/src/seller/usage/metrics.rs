//! Registering metrics.

use storage::Batch;

use super::command::Answer;
use crate::domain::billing::usage::registry::{NewMetric, Registered, register};
use crate::domain::billing::usage::{Metric, MetricName};
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::seller::room::SellerRoom;
use crate::tables::METRICS;

impl SellerRoom {
    pub(super) fn register_metric(
        &mut self,
        desk: &Desk<Self>,
        new: NewMetric,
        reply: Answer<Metric>,
    ) {
        if self.seller.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        let name = new.name.as_deref().and_then(MetricName::parse);
        let current = name.and_then(|name| self.usage.metrics.get(&name));
        let metric = match register(current, new, desk.now()) {
            // What may still be on its way to the disk is answered behind it.
            Ok(Registered { metric, changed: false }) => {
                return self.commit_config(desk, Batch::new(), reply, metric);
            }
            Ok(Registered { metric, changed: true }) => metric,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let mut batch = Batch::new();
        batch.put(METRICS, &(self.id, metric.name.clone(), metric.version), &metric);
        self.usage.metrics.insert(metric.name.clone(), metric.clone());
        self.commit_config(desk, batch, reply, metric);
    }
}
