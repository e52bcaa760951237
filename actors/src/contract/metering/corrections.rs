//! Corrections of late events.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use rust_decimal::Decimal;
use storage::Scan;

use super::Change;
use crate::contract::Contracts;
use crate::contract::changes::Changes;
use crate::contract::room::{self, Context, ContractRoom, Effects};
use crate::domain::billing::invoice::InvoiceRefusal;
use crate::domain::billing::tax::{StatedTax, with_tax};
use crate::domain::billing::usage::{
    Adjustment, AdjustmentKey, CorrectLate, CorrectedUsage, CorrectionRefusal, LateCost, LateEvent,
    MAX_CORRECTED, Measured, MeterRow, MetricName, UsageLine, UsageTotal, late_cost, measure_late,
};
use crate::domain::ids::{AdjustmentId, ContractId, SellerId, UsageLineId};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Once};
use crate::query;
use crate::tables::{
    ADJUSTMENT_KEYS, CORRECTED_USAGE, LATE_EVENTS, METRICS, USAGE_CLAIMS, USAGE_LINES, ids,
};

/// Closed periods of which late events are being corrected.
type Periods = BTreeMap<UsageLineId, Period>;

struct Period {
    line: UsageLine,
    corrected: CorrectedUsage,
    /// What its events come to, corrected ones too; added up where they are priced.
    total: Option<UsageTotal>,
    /// What the late ones that are priced use of what it left to the next.
    allotment: Decimal,
}

impl Contracts {
    /// Corrects late events: an amount that the contract's next usage document carries. The same
    /// key again answers what it made.
    pub async fn correct_late_usage(
        &self,
        seller: SellerId,
        contract: ContractId,
        request: CorrectLate,
    ) -> Result<Adjustment, AskError> {
        let asked = request.clone();
        let correct = move |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            asked.check()?;
            let row = (seller, asked.key.clone());
            cx.once(ADJUSTMENT_KEYS, &row)?;
            cx.seller()?;
            let late = |event: &_| cx.get(LATE_EVENTS, &(seller, contract, *event));
            let late = asked.events.iter().map(late).collect::<Result<_, _>>()?;
            let late = asked.uncorrected(late)?;
            let (periods, priced) = room.settle_late(cx, &late, asked.amount_minor.is_none())?;
            let amount_minor = asked.amount_minor.unwrap_or(priced);
            let metering = |day| room.coverage.period_of(day).map(|period| period.subscription);
            let id = AdjustmentId(cx.id(ids::ADJUSTMENT));
            let made = asked.decide((contract, id), &late, amount_minor, metering, cx.now())?;
            let mut effects = Effects::new();
            effects.claim(ADJUSTMENT_KEYS, &row, &AdjustmentKey { contract, adjustment: id });
            for (event, late) in made.events.iter().zip(late) {
                let corrected = LateEvent { corrected_by: Some(id), ..late };
                effects.put(LATE_EVENTS, &(seller, contract, *event), &corrected);
            }
            for (metric, row) in room.without_used_allotments(&periods) {
                let kept = Change::Closed(metric, row, Vec::new());
                effects.change(room::Change::Usage(kept));
            }
            for (line, period) in periods {
                effects.put(CORRECTED_USAGE, &(seller, contract, line), &period.corrected);
            }
            effects.change(room::Change::Usage(Change::Corrected(Box::new(made.clone()))));
            Ok(effects.answer(made))
        };
        match self.rooms.once((seller, contract), correct).await? {
            Once::Made(made) => Ok(made),
            Once::Before => Ok(self.corrected_before(seller, contract, &request)?),
        }
    }

    fn corrected_before(
        &self,
        seller: SellerId,
        contract: ContractId,
        request: &CorrectLate,
    ) -> Result<Adjustment, Refusal> {
        let made = query::adjustment_of(&self.rooms.services().store, seller, &request.key);
        let made = made.map_err(|error| {
            let (seller, contract) = (seller.0, contract.0);
            tracing::error!(seller, contract, %error, "a correction cannot be read");
            Refusal::fault()
        })?;
        let made = made.ok_or_else(Refusal::fault)?;
        if made.contract != contract {
            return Err(CorrectionRefusal::KeyReused("contractId").into());
        }
        request.repeats(&made)?;
        Ok(made)
    }
}

impl ContractRoom {
    /// Counts late events into their closed periods. `priced`: says what they cost there, minor
    /// units; then each of them has to be of a closed period.
    fn settle_late(
        &self,
        cx: &Context,
        late: &[LateEvent],
        priced: bool,
    ) -> Result<(Periods, i64), Refusal> {
        let (mut periods, mut amount_minor) = (Periods::new(), 0);
        for late in late {
            let event = late.event.id;
            let Some(line) = self.line_of(cx, late)? else {
                if priced {
                    return Err(CorrectionRefusal::NotPriced(event).into());
                }
                continue;
            };
            let period = match periods.entry(line.id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    let corrected = cx.get(CORRECTED_USAGE, &(self.seller, self.id, line.id))?;
                    let corrected = corrected.unwrap_or_default();
                    let total = priced.then(|| self.total_of(cx, &line, &corrected)).transpose()?;
                    place.insert(Period { line, corrected, total, allotment: Decimal::ZERO })
                }
            };
            if period.corrected.0.len() >= MAX_CORRECTED {
                let why = format!("it has {MAX_CORRECTED} corrections");
                return Err(CorrectionRefusal::NotRated(event, why).into());
            }
            if priced {
                let cost = self.price_late(cx, late, period)?;
                amount_minor += cost.amount_minor;
                period.allotment += cost.allotment;
            }
            period.corrected.0.push(event);
        }
        Ok((periods, amount_minor))
    }

    /// What is kept of the metrics whose late events use of what their periods have left to those
    /// behind them, which are open.
    fn without_used_allotments(&self, periods: &Periods) -> BTreeMap<MetricName, MeterRow> {
        let mut rows = BTreeMap::<MetricName, MeterRow>::new();
        for Period { line, allotment, .. } in periods.values() {
            let Some(meter) = self.metering.meters.get(&line.metric) else { continue };
            let mut row = rows.get(&line.metric).unwrap_or(&meter.row).clone();
            if row.use_carried(line, *allotment) {
                rows.insert(line.metric.clone(), row);
            }
        }
        rows
    }

    /// The closed period that a late event would have been in.
    fn line_of(&self, cx: &Context, late: &LateEvent) -> Result<Option<UsageLine>, Refusal> {
        let (of, day) = ((self.seller, self.id), late.event.occurred_at.date());
        let metric = late.metric.clone();
        let until = (of.0, of.1, metric.clone(), day.plus_days(1));
        let scan = Scan::prefix(&(of.0, of.1, metric)).until(&until).reverse().first();
        let Some(claim) = cx.store().scan(USAGE_CLAIMS, scan).next() else { return Ok(None) };
        let (_, id) = cx.read(claim)?;
        let line = cx.get(USAGE_LINES, &(of.0, of.1, id))?;
        Ok(line.filter(|line| line.span.contains(day)))
    }

    /// What the events of a closed period come to, with the late ones that were corrected.
    fn total_of(
        &self,
        cx: &Context,
        line: &UsageLine,
        corrected: &CorrectedUsage,
    ) -> Result<UsageTotal, Refusal> {
        let (key, metric) = ((self.seller, self.id), &line.metric);
        let meter = self.metering.meters.get(metric).ok_or_else(Refusal::fault)?;
        let mut total = meter.closed_total(cx, key, metric, line.span)?;
        for event in &corrected.0 {
            let late = cx.get(LATE_EVENTS, &(key.0, key.1, *event))?.ok_or_else(Refusal::fault)?;
            if let Some(measured) = self.measured(cx, &late)? {
                total.add(measured);
            }
        }
        Ok(total)
    }

    fn price_late(
        &self,
        cx: &Context,
        late: &LateEvent,
        period: &mut Period,
    ) -> Result<LateCost, Refusal> {
        let Period { line, total: Some(total), .. } = period else { return Err(Refusal::fault()) };
        let meter = self.metering.meters.get(&line.metric).ok_or_else(Refusal::fault)?;
        let version = line.breakdown.price_version;
        let price = meter.prices.iter().find(|price| price.version == version);
        let price = price.ok_or_else(Refusal::fault)?;
        let event = late.event.id;
        let not_rated = |why: String| CorrectionRefusal::NotRated(event, why);
        let measured = self.measured(cx, late)?;
        let measured = measured.ok_or_else(|| not_rated("it has no value to count".to_owned()))?;
        late_cost(line, price, total, measured)
            .map_err(|refusal| not_rated(refusal.to_string()).into())
    }

    /// By the definition that was current when it came.
    fn measured(&self, cx: &Context, late: &LateEvent) -> Result<Option<Measured>, Refusal> {
        let row = (self.seller, late.metric.clone(), late.event.version);
        let metric = cx.read(cx.store().get(METRICS, &row))?.ok_or_else(Refusal::fault)?;
        Ok(measure_late(&late.event, &metric))
    }
}

impl Changes<'_> {
    /// Corrections below 0 that no document is to carry any more, each with what of it is open and
    /// the tax of that, minor units above 0.
    pub(in crate::contract) fn last_corrections(&self) -> Result<Vec<(Adjustment, i64)>, Refusal> {
        let room = self.room;
        let mut last = room.metering.last_credits(&room.coverage).peekable();
        if last.peek().is_none() {
            return Ok(Vec::new());
        }
        let rules = self.rules_after(room.contract()?, room.usage_follows.as_ref())?;
        let taxed = |credit: &Adjustment| {
            let own = StatedTax::of_rate(self.tax_rate_of(credit.subscription));
            let gross_minor = with_tax(-credit.open_minor(), rules.treat(own).rate);
            Ok((credit.clone(), gross_minor.map_err(InvoiceRefusal::from)?))
        };
        last.map(taxed).collect()
    }

    /// They become stored credit by themselves.
    pub(in crate::contract) fn credit_corrections(&mut self) -> Result<(), Refusal> {
        if !self.credits_on() {
            return Ok(());
        }
        let contract = self.room.contract()?;
        let mut credited = Vec::new();
        for (credit, gross_minor) in self.last_corrections()? {
            if self.is_full() {
                break;
            }
            credited.push(credit.id);
            let reason = credit.description;
            self.mint_proration(contract.customer, gross_minor, reason, contract.currency);
        }
        if !credited.is_empty() {
            self.effects.change(room::Change::Usage(Change::Credited(credited)));
        }
        Ok(())
    }
}
