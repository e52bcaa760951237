//! Meters, prices and corrections: closed days are those of the closed lines, and late events are
//! corrected once.

use storage::{ReadError, Scan};

use super::documents::Documents;
use super::reading::Reading;
use super::run::{Found, Run};
use super::usage_days;
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{Adjustment, AdjustmentKey, LateEvent, MeterRow, MetricName};
use crate::domain::ids::{AdjustmentId, ContractId, SellerId, UsageEventId};
use crate::tables::{
    ADJUSTMENT_KEYS, CLOSED_DAYS, CORRECTED_USAGE, LATE_EVENTS, LATE_HOMES, METERED,
    OPEN_ADJUSTMENTS, PRICES, SEAT_CHANGES, USAGE_ADJUSTMENTS, USAGE_CLAIMS, USAGE_LINES,
    USAGE_METERS,
};

type MeterKey = (SellerId, ContractId, MetricName);

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(USAGE_METERS, all(), meter)?;
    run.no_others(CLOSED_DAYS, all(), |reading, (seller, contract, metric, _), _| {
        reading.contains(USAGE_METERS, &(*seller, *contract, metric.clone()))
    })?;
    run.no_others(METERED, all(), |reading, (seller, metric, contract), ()| {
        let known = reading.get(USAGE_METERS, &(*seller, *contract, metric.clone()))?;
        Ok(known.is_some_and(|known| known.used))
    })?;
    run.each(PRICES, all(), |reading, (seller, contract, metric, version), price, found| {
        found.same("price under its own key", *version, price.version);
        found.names(reading, USAGE_METERS, &(*seller, *contract, metric.clone())).map(|_| ())
    })?;
    run.each(SEAT_CHANGES, all(), |_, (_, _, id), change, found| {
        found.same("seat change under its own key", *id, change.id);
        Ok(())
    })?;
    run.each(LATE_EVENTS, all(), late)?;
    run.no_others(LATE_HOMES, all(), |reading, (seller, event), contract| {
        reading.contains(LATE_EVENTS, &(*seller, *contract, *event))
    })?;
    run.each(CORRECTED_USAGE, all(), |reading, (seller, contract, line), of, found| {
        found.names(reading, USAGE_LINES, &(*seller, *contract, *line))?;
        for event in &of.0 {
            let known = reading.get(LATE_EVENTS, &(*seller, *contract, *event))?;
            let settled = known.is_some_and(|known| known.corrected_by.is_some());
            found.holds("late event of a closed period that is corrected", settled, event);
        }
        Ok(())
    })?;
    let documents = Documents::default();
    run.each(USAGE_ADJUSTMENTS, all(), |reading, key, row, found| {
        adjustment(reading, key, row, &documents, found)
    })?;
    run.no_others(OPEN_ADJUSTMENTS, all(), |reading, key, ()| {
        let known = reading.get(USAGE_ADJUSTMENTS, key)?;
        Ok(known.is_some_and(|known| open_minor(&known) != 0))
    })?;
    run.no_others(ADJUSTMENT_KEYS, all(), |reading, (seller, key), made| {
        let of = (*seller, made.contract, made.adjustment);
        Ok(reading.get(USAGE_ADJUSTMENTS, &of)?.is_some_and(|known| known.key == *key))
    })
}

fn meter(
    reading: &Reading,
    key: &MeterKey,
    row: &MeterRow,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, contract, metric) = key;
    if row.used {
        found.wants(reading, METERED, &(*seller, metric.clone(), *contract), &())?;
    }
    let mut spans = Vec::new();
    for claim in reading.scan(USAGE_CLAIMS, Scan::prefix(key)) {
        let line = reading.get(USAGE_LINES, &(*seller, *contract, claim?.1))?;
        spans.extend(line.map(|line| line.span));
    }
    let mut closed = Vec::new();
    for older in reading.scan(CLOSED_DAYS, Scan::prefix(key)) {
        let ((.., start), end) = older?;
        closed.push(Span { start, end });
    }
    found.has(CLOSED_DAYS, closed.len() as u64);
    closed.extend(&row.closed);
    found.same("closed days of a metric", union(spans), closed);
    Ok(())
}

/// The days of spans, each day once, spans that touch as one.
fn union(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| span.start);
    let mut whole: Vec<Span> = Vec::new();
    for span in spans {
        match whole.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => whole.push(span),
        }
    }
    whole
}

fn late(
    reading: &Reading,
    key: &(SellerId, ContractId, UsageEventId),
    late: &LateEvent,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, contract, id) = *key;
    found.same("late event under its own key", id, late.event.id);
    found.wants(reading, LATE_HOMES, &(seller, id), &contract)?;
    if let Some(by) = late.corrected_by {
        let known = reading.get(USAGE_ADJUSTMENTS, &(seller, contract, by))?;
        let names = known.is_some_and(|known| known.events.contains(&id));
        found.holds("late event that its correction names", names, &by);
    }
    usage_days::keys(reading, seller, std::slice::from_ref(&late.event), found)
}

fn adjustment(
    reading: &Reading,
    key: &(SellerId, ContractId, AdjustmentId),
    row: &Adjustment,
    documents: &Documents,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, contract, id) = *key;
    found.same("correction under its own key", (contract, id), (row.contract, row.id));
    let made = AdjustmentKey { contract, adjustment: id };
    let named = reading.get(ADJUSTMENT_KEYS, &(seller, row.key.clone()))?;
    found.same("key of a correction", Some(&made), named.as_ref());
    if named.is_some() {
        found.has(ADJUSTMENT_KEYS, 1);
    }
    let open = open_minor(row);
    if open != 0 {
        found.wants(reading, OPEN_ADJUSTMENTS, key, &())?;
    }
    let within = (open == 0 || (open > 0) == (row.amount_minor > 0))
        && open.abs() <= i128::from(row.amount_minor).abs();
    found.holds("documents carry no more than a correction", within, &open);
    for event in &row.events {
        let known = reading.get(LATE_EVENTS, &(seller, contract, *event))?;
        let by = known.and_then(|known| known.corrected_by);
        found.same("event that a correction settles", Some(id), by);
    }
    for (invoice, _) in &row.carried {
        let of = row.carried.iter().filter(|(other, _)| other == invoice);
        let claimed: i128 = of.map(|(_, minor)| i128::from(*minor)).sum();
        let document = documents.carried(reading, seller, *invoice)?;
        let there = document.adjustments.get(&id).copied().unwrap_or(0);
        found.same("correction on the document that claims it", claimed, i128::from(there));
    }
    Ok(())
}

fn open_minor(row: &Adjustment) -> i128 {
    let carried: i128 = row.carried.iter().map(|(_, minor)| i128::from(*minor)).sum();
    i128::from(row.amount_minor) - carried - i128::from(row.credited_minor)
}
