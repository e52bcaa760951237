//! Prices of a contract's metrics.

use super::Change;
use crate::contract::Contracts;
use crate::contract::room::{self, Context, ContractRoom, Decision, Effects};
use crate::domain::billing::pricing::{
    PriceConfig, PriceSet, PriceVersion, SetPrice, check_fit, set_price,
};
use crate::domain::billing::usage::MetricName;
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::refusal::Refusal;
use crate::domain::time::Date;
use crate::kernel::AskError;

#[derive(Clone, Debug)]
pub struct NewPrice {
    pub metric: MetricName,
    /// The first day on which it may rate a period.
    pub effective_from: Date,
    pub config: PriceConfig,
}

impl Contracts {
    /// Adds a version of a metric's price, or answers the one that says the same for its day.
    pub async fn set_price(
        &self,
        seller: SellerId,
        contract: ContractId,
        new: NewPrice,
    ) -> Result<PriceVersion, AskError> {
        let set = move |room: &ContractRoom, cx: &Context| room.set_price(cx, &new);
        self.rooms.command((seller, contract), set).await
    }
}

impl ContractRoom {
    pub(in crate::contract) fn set_price(
        &self,
        cx: &Context,
        new: &NewPrice,
    ) -> Result<Decision<PriceVersion>, Refusal> {
        let NewPrice { metric, effective_from, config } = new;
        check_fit(config, metric, self.contract()?.currency)?;
        if cx.seller()?.metric(metric).is_none() {
            let text = format!("metricName {metric} is not a registered metric");
            return Err(Refusal::invalid(text));
        }
        let meter = self.metering.meters.get(metric);
        let prices = meter.map(|meter| &meter.prices[..]).unwrap_or_default();
        let asked = SetPrice { effective_from: *effective_from, config: config.clone() };
        let added = match set_price(prices, asked, cx.now())? {
            PriceSet::Stands(price) => return Ok(Decision::unchanged(price)),
            PriceSet::Added(added) => added,
        };
        let price = added.price.clone();
        let mut effects = Effects::new();
        let change = Change::Price(metric.clone(), Box::new(added));
        effects.change(room::Change::Usage(change));
        Ok(effects.answer(price))
    }
}
