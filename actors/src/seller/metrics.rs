//! Metrics: registered, and registered again with another meaning as a next version.

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::billing::usage::registry::{Known, NewMetric, Registered, register};
use crate::domain::billing::usage::{Metric, MetricName};
use crate::domain::ids::SellerId;
use crate::kernel::{AskError, Context, Decision};
use crate::query;

impl Sellers {
    pub async fn register_metric(&self, id: SellerId, new: NewMetric) -> Result<Metric, AskError> {
        let registration = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            room.account()?;
            let name = new.name.as_deref().and_then(MetricName::parse);
            let current = name.as_ref().and_then(|name| room.metrics.get(name));
            let used = match name.filter(|_| current.is_some()) {
                Some(name) => cx.read(query::usage::is_metered(cx.store(), id, &name))?,
                None => false,
            };
            let known = Known { current, metrics: room.metrics.len(), used };
            let Registered { metric, changed } = register(known, new.clone(), cx.now())?;
            if !changed {
                return Ok(Decision::unchanged(metric));
            }
            let mut effects = room.configuring(cx);
            let (directory, seller) = (cx.services().directory.clone(), room.id);
            let known = metric.clone();
            effects.once_durable(move || directory.metric_changed(seller, known));
            effects.change(Change::Metric(Box::new(metric.clone())));
            Ok(effects.answer(metric))
        };
        self.rooms.command(id, registration).await
    }
}
