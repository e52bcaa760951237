//! The events behind a period, a page at a time.

use storage::{ReadError, Scan, Store};

use super::total::days;
use super::{DayKey, unreadable};
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{MAX_CHUNK_EVENTS, MetricName, UsageDay, UsageEvent};
use crate::domain::ids::{ContractId, SellerId};
use crate::query::{Page, Paging};
use crate::tables::{USAGE_CHUNKS, USAGE_DAYS};

/// Bits of a cursor that count the events of a day; above them it counts days of the span, so a
/// cursor of a span of 8,192 days is below 2^53.
const ORDINAL_BITS: u32 = 40;

/// The counted events of a contract's metric on the days of `span`, in order of day and arrival.
/// Only the rows that are shown are read. A cursor belongs to its span.
pub fn events_of(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    metric: &MetricName,
    span: Span,
    paging: Paging,
) -> Result<Page<UsageEvent>, ReadError> {
    let (first_day, mut skip) = match paging.cursor {
        None => (span.start, 0),
        Some(cursor) => {
            let days = i64::try_from(cursor >> ORDINAL_BITS).unwrap_or(i64::MAX);
            let day = span.start.plus_days(days.min(span.days()));
            (day, cursor & ((1 << ORDINAL_BITS) - 1))
        }
    };
    let mut page = Page { items: Vec::new(), next: None };
    let rest = Span { start: first_day, end: span.end };
    for row in store.scan(USAGE_DAYS, days(seller, contract, metric, rest)) {
        let (key, day) = row?;
        // What a cursor says of the day in which it stands counts for that day alone.
        let from = if key.3 == first_day { std::mem::take(&mut skip) } else { 0 };
        if from >= day.events() {
            continue;
        }
        if page.items.len() == paging.limit {
            return Ok(page);
        }
        let room = paging.limit - page.items.len();
        let shown = events_of_day(store, &key, &day, from, room)?;
        let behind = from + shown.len() as u64;
        let offset = u64::try_from(key.3.days_since(span.start)).unwrap_or_default();
        page.next = Some((offset << ORDINAL_BITS) | behind);
        page.items.extend(shown);
        if behind < day.events() {
            return Ok(page);
        }
    }
    page.next = None;
    Ok(page)
}

fn events_of_day(
    store: &Store,
    key: &DayKey,
    day: &UsageDay,
    from: u64,
    limit: usize,
) -> Result<Vec<UsageEvent>, ReadError> {
    let until = from.saturating_add(limit as u64);
    let mut shown = Vec::with_capacity(limit.min(1_024));
    let mut take = |first: u64, events: Vec<UsageEvent>| {
        let placed = (first..).zip(events);
        shown.extend(placed.filter(|(at, _)| (from..until).contains(at)).map(|(_, event)| event));
    };
    if from < day.sealed() {
        let (seller, contract, metric, date) = key;
        let place = |ordinal: u64| (*seller, *contract, metric.clone(), *date, ordinal);
        let chunks = Scan::prefix(key);
        // The chunk in which the first event lies begins at it or not long before it.
        let earliest = from.saturating_sub(MAX_CHUNK_EVENTS);
        let before = chunks.clone().from(&place(earliest)).until(&place(from + 1)).reverse();
        let first = store.scan(USAGE_CHUNKS, before).next().transpose()?;
        let start = first.map_or(from, |((.., ordinal), _)| ordinal);
        // What is sealed after the day was read is still in the tail as it was read.
        let end = until.min(day.sealed());
        for row in store.scan(USAGE_CHUNKS, chunks.from(&place(start)).until(&place(end))) {
            let ((.., ordinal), chunk) = row?;
            let events = chunk.events().map_err(|error| unreadable(USAGE_CHUNKS.name(), error))?;
            take(ordinal, events);
        }
    }
    if until > day.sealed() {
        let tail = day.tail().map_err(|error| unreadable(USAGE_DAYS.name(), error))?;
        take(day.sealed(), tail);
    }
    Ok(shown)
}
