//! What events come to, added up one by one: the referee of everything that is kept ready.

use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use serde_json::Value;
use storage::Store;

use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{Aggregation, Metric, MetricName, UsageEvent};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::time::Timestamp;
use crate::query::Paging;
use crate::query::usage::events_of;
use crate::tables::METRICS;

/// An event as the referee looks at it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fact {
    pub(super) version: u32,
    pub(super) quantity: Decimal,
    pub(super) at: Timestamp,
    pub(super) metadata: Option<Value>,
}

impl From<UsageEvent> for Fact {
    fn from(event: UsageEvent) -> Self {
        Self {
            version: event.version,
            quantity: event.quantity.value(),
            at: event.occurred_at,
            metadata: event.metadata.map(|text| serde_json::from_str(&text).expect("JSON")),
        }
    }
}

/// The quantity of some events in the order of arrival; versions of a metric that is used differ
/// in their unit alone.
pub(super) fn quantity(facts: &[Fact], definitions: &BTreeMap<u32, Metric>) -> Decimal {
    let definition = definitions.values().next().expect("a metric");
    let quantities = facts.iter().map(|fact| fact.quantity);
    match definition.aggregation {
        Aggregation::Sum => quantities.sum::<Decimal>(),
        Aggregation::Max => quantities.max().unwrap_or_default(),
        Aggregation::Min => quantities.min().unwrap_or_default(),
        Aggregation::Last => {
            // Of equal instants `max_by_key` answers the last one: the later arrival.
            let last = facts.iter().max_by_key(|fact| fact.at);
            last.map_or(Decimal::ZERO, |fact| fact.quantity)
        }
        Aggregation::Count => Decimal::from(facts.len()),
        Aggregation::CountUnique => {
            let key = definition.unique_key.as_deref().expect("a key to count by");
            let values = facts.iter().map(|fact| {
                fact.metadata.as_ref().and_then(|data| data.get(key)).expect("it").to_string()
            });
            Decimal::from(values.collect::<BTreeSet<_>>().len().min(1_000))
        }
    }
}

/// All versions of a metric.
pub(super) fn definitions(
    store: &Store,
    seller: SellerId,
    metric: &MetricName,
) -> BTreeMap<u32, Metric> {
    let rows = store.scan(METRICS, storage::Scan::prefix(&(seller, metric.clone())));
    rows.map(|row| row.expect("read")).map(|((_, _, version), metric)| (version, metric)).collect()
}

/// Every stored event of a span that counts, page by page.
pub(super) fn stored(
    store: &Store,
    seller: SellerId,
    contract: ContractId,
    metric: &MetricName,
    span: Span,
    page: usize,
) -> Vec<UsageEvent> {
    let (mut events, mut cursor) = (Vec::new(), None);
    loop {
        let paging = Paging { limit: page, cursor };
        let found = events_of(store, seller, contract, metric, span, paging).expect("read");
        assert!(found.items.len() == page || found.next.is_none(), "a page is not full");
        assert!(!found.items.is_empty() || found.next.is_none(), "a page is empty");
        events.extend(found.items);
        cursor = found.next;
        if cursor.is_none() {
            return events;
        }
        assert!(cursor < Some(1 << 53));
    }
}
