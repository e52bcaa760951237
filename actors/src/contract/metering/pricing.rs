//! Prices of a contract's metrics (billing 2.7, 4.6).

use storage::Batch;

use super::meter::Home;
use crate::contract::command::Answer;
use crate::contract::room::ContractRoom;
use crate::contract::write::{Write, unexpected};
use crate::domain::billing::pricing::{PriceConfig, PriceVersion, SetPrice, check_fit, set_price};
use crate::domain::billing::usage::MetricName;
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;
use crate::room::Desk;

/// A price that is to rate a metric's periods from a day on.
#[derive(Clone, Debug)]
pub struct NewPrice {
    /// What is priced.
    pub metric: MetricName,
    /// The first day on which it may rate a period.
    pub effective_from: Date,
    /// What is charged.
    pub config: PriceConfig,
}

impl ContractRoom {
    /// Adds a version of a metric's price. One that says what stands for its day already answers
    /// that one (decisions 12).
    pub(super) fn set_price(
        &mut self,
        desk: &Desk<Self>,
        new: NewPrice,
        reply: Answer<PriceVersion>,
    ) {
        let Some(contract) = &self.contract else { return reply.send(Err(Refusal::missing())) };
        let NewPrice { metric, effective_from, config } = new;
        if let Err(refusal) = check_fit(&config, &metric, contract.currency) {
            return reply.send(Err(refusal.into()));
        }
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        if write.snapshot.metric(&metric).is_none() {
            return reply.send(Err(Refusal::invalid(format!(
                "metricName {metric} is not a registered metric"
            ))));
        }
        let meter = self.metering.meters.entry(metric.clone()).or_default();
        let (price, fresh) =
            set_price(&meter.prices, SetPrice { effective_from, config }, write.now);
        if !fresh {
            // It may be on its way to the disk still.
            return desk
                .commit(Batch::new(), reply, |result| result.map(|_| price).map_err(unexpected));
        }
        let home = Home { seller: self.seller, contract: self.id };
        meter.put_price(&mut write.batch, home, &metric, price.clone());
        write.finish(self, desk, reply, |result| result.map(|_| price).map_err(unexpected));
    }
}
