//! What was used so far in the open periods.

use std::collections::BTreeMap;

use super::meter::Meter;
use crate::contract::Contracts;
use crate::contract::changes::Changes;
use crate::contract::room::{Context, ContractRoom, Decision};
use crate::domain::billing::invoice::{InvoiceRefusal, is_beyond_a_document};
use crate::domain::billing::pricing::in_force;
use crate::domain::billing::tax::StatedTax;
use crate::domain::billing::usage::{BlockedUsage, MetricName, MetricUsage, UsageTotal, Used};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::money::AMOUNT_LIMIT;
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageSoFar {
    pub metrics: Vec<MetricUsage>,
    pub blocked: Vec<BlockedUsage>,
}

impl Contracts {
    pub async fn usage(
        &self,
        seller: SellerId,
        contract: ContractId,
    ) -> Result<UsageSoFar, AskError> {
        let show = |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            let (metrics, blocked) = (room.open_usage(cx)?, room.blocked_usage(cx)?);
            Ok(Decision::unchanged(UsageSoFar { metrics, blocked }))
        };
        self.rooms.command((seller, contract), show).await
    }
}

impl ContractRoom {
    fn open_usage(&self, cx: &Context) -> Result<Vec<MetricUsage>, Refusal> {
        let today = cx.now().date();
        let open = self.coverage.period_of(today).map(|period| period.span);
        // There may be seats of which the contract has no price.
        let (seats, without_price) = (MetricName::seats(), Meter::default());
        let mut meters: BTreeMap<&MetricName, &Meter> = self.metering.meters.iter().collect();
        meters.entry(&seats).or_insert(&without_price);
        let mut shown = Vec::new();
        for (metric, meter) in meters {
            let used = match open {
                Some(span) if metric.is_seats() => {
                    let so_far = meter.row.open_parts(span.before(today.plus_days(1)));
                    let days = |part| self.metering.ledger.seats.seat_days(part);
                    Used::seat_days(so_far.into_iter().map(days).sum())
                }
                Some(span) => meter.total(cx, (self.seller, self.id), metric, span)?.used(),
                None => UsageTotal::default().used(),
            };
            if used.is_any() || meter.row.limit.is_some() {
                let price = open.and_then(|period| in_force(&meter.prices, period));
                let allotment = price.and_then(|price| price.config.allotment());
                let included = allotment.map(|allotment| allotment.included_units.value());
                let limit = meter.row.limit;
                shown.push(MetricUsage::of(metric.clone(), used, included, limit, open));
            }
        }
        Ok(shown)
    }

    /// Periods that are over and cannot be closed, and closed ones that are beyond a document.
    fn blocked_usage(&self, cx: &Context) -> Result<Vec<BlockedUsage>, Refusal> {
        let mut shown = Vec::new();
        for (metric, meter) in &self.metering.meters {
            shown.extend(meter.row.blocked.iter().map(|blocked| BlockedUsage {
                metric: metric.clone(),
                span: blocked.span,
                reason: blocked.reason.clone(),
            }));
        }
        let ledger = &self.metering.ledger;
        let credits: i64 = ledger.adjustments.values().map(|one| one.open_minor().min(0)).sum();
        for line in ledger.unbilled.values().filter(|line| line.amount_minor() > AMOUNT_LIMIT / 2) {
            let subscription = self.subscriptions.get(&line.subscription);
            let own = subscription.and_then(|subscription| subscription.tax_rate);
            let changes = Changes::begin(self, cx)?;
            let rules = changes.rules_after(self.contract()?, self.usage_follows.as_ref())?;
            let rate = rules.treat(StatedTax::of_rate(own)).rate;
            if is_beyond_a_document(line.amount_minor() + credits, rate) {
                let reason = InvoiceRefusal::TooLarge.to_string();
                let (metric, span) = (line.metric.clone(), line.span);
                shown.push(BlockedUsage { metric, span, reason });
            }
        }
        Ok(shown)
    }
}
