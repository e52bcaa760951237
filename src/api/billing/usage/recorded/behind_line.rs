//! `GET /invoices/{invoiceId}/lines/{lineId}/events`: the events behind a usage line, or behind a
//! correction.

use std::sync::Arc;

use actors::domain::billing::invoice::{CarriedUsage, InvoiceLine, InvoiceLineId};
use actors::domain::billing::usage::{UsageEvent, UsageLine};
use actors::domain::ids::{AdjustmentId, ContractId, InvoiceId, SellerId};
use actors::query::{self, Page, Paging};
use actors::tables::{LATE_EVENTS, USAGE_ADJUSTMENTS};
use storage::{ReadError, Reads, Store};

use super::UsageEventView;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

pub type LineEventList = List<UsageEventView>;

impl Listed for UsageEventView {
    const LIST: &'static str = "LineEventList";
    const ITEMS: &'static str = "events";
    const CURSOR: Option<&'static str> = Some("nextAfterId");
}

pub async fn behind_line(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("afterId")?, request.seller_id());
    let id = request.id("invoiceId", InvoiceId)?;
    let line = request.id("lineId", InvoiceLineId)?;
    let found = app.blocking(move |store| {
        let Some(invoice) = query::invoice(store, seller, id)? else { return Ok(None) };
        let lines = query::invoice_lines(store, seller, id)?;
        let Some(line) = lines.iter().find(|found| found.id == line) else { return Ok(None) };
        events(store, (seller, invoice.contract), line, paging).map(Some)
    });
    let page = found.await?.ok_or_else(ApiError::missing)?;
    Ok(Response::ok(&LineEventList::from(page)))
}

/// What a line bills of recorded events; most lines bill something else.
fn events(
    store: &Store,
    (seller, contract): (SellerId, ContractId),
    line: &InvoiceLine,
    paging: Paging,
) -> Result<Page<UsageEvent>, ReadError> {
    match line.usage {
        Some(CarriedUsage::Line(closed)) => {
            match query::usage_line(store, seller, contract, closed)? {
                Some(UsageLine { metric, span, .. }) => {
                    query::usage::events_of(store, seller, contract, &metric, span, paging)
                }
                None => Ok(Page { items: Vec::new(), next: None }),
            }
        }
        Some(CarriedUsage::Adjustment(id)) => corrected(store, (seller, contract, id), paging),
        None => Ok(Page { items: Vec::new(), next: None }),
    }
}

/// The late events that a correction settles, by id. They are few.
fn corrected(
    store: &Store,
    key: (SellerId, ContractId, AdjustmentId),
    paging: Paging,
) -> Result<Page<UsageEvent>, ReadError> {
    let adjustment = store.get(USAGE_ADJUSTMENTS, &key)?;
    let mut ids = adjustment.map(|found| found.events).unwrap_or_default();
    ids.retain(|id| paging.cursor.is_none_or(|cursor| id.0 > cursor));
    ids.sort_unstable();
    let next = ids.get(paging.limit).and_then(|_| ids.get(paging.limit - 1)).map(|id| id.0);
    let shown = ids.into_iter().take(paging.limit);
    let mut reads = Reads::new();
    let late = reads.get_many(LATE_EVENTS, shown.map(|id| (key.0, key.1, id)));
    let late = store.read(&reads)?.take(late)?;
    Ok(Page { items: late.into_iter().map(|late| late.event).collect(), next })
}

#[cfg(test)]
mod tests {
    use actors::domain::billing::subscription::Span;
    use actors::domain::billing::usage::{Adjustment, EventKey, LateEvent, MetricName};
    use actors::domain::ids::UsageEventId;
    use actors::domain::quantity::Quantity;
    use actors::domain::time::{Date, Timestamp};
    use storage::Batch;
    use storage::testing::TempStore;

    use super::*;

    fn late(id: u64) -> LateEvent {
        let event = UsageEvent {
            id: UsageEventId(id),
            key: EventKey::parse(&format!("key {id}")).expect("a key"),
            quantity: Quantity::ONE,
            occurred_at: Timestamp::from_micros(0),
            received_at: Timestamp::from_micros(1),
            metadata: Some("{\"a\":1}".to_owned()),
            version: 1,
        };
        let metric = MetricName::parse("api.calls").expect("a name");
        LateEvent { metric, event, corrected_by: Some(AdjustmentId(5)) }
    }

    #[test]
    fn a_correction_is_explained_page_by_page() {
        let house = TempStore::new();
        let key = (SellerId(1), ContractId(2), AdjustmentId(5));
        let day = Date::new(2027, 1, 15).expect("a day");
        let adjustment = Adjustment {
            id: key.2,
            contract: key.1,
            events: [9, 3, 7].map(UsageEventId).to_vec(),
            amount_minor: 100,
            description: "Calls of January".to_owned(),
            key: "k".to_owned(),
            metric: None,
            days: Span { start: day, end: day.plus_days(1) },
            subscription: None,
            created_at: Timestamp::from_micros(0),
            carried: Vec::new(),
            credited_minor: 0,
        };
        let mut batch = Batch::new();
        batch.put(USAGE_ADJUSTMENTS, &key, &adjustment);
        for id in [3, 5, 7, 9] {
            batch.put(LATE_EVENTS, &(key.0, key.1, UsageEventId(id)), &late(id));
        }
        house.store().write_blocking(batch).expect("written");
        for (limit, pages) in [(1, 3), (2, 2), (3, 1), (9, 1)] {
            let (mut found, mut cursor, mut asked) = (Vec::new(), None, 0);
            loop {
                let page = corrected(house.store(), key, Paging { limit, cursor }).expect("read");
                found.extend(page.items.iter().map(|event| event.id.0));
                (cursor, asked) = (page.next, asked + 1);
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!((found, asked), (vec![3, 7, 9], pages), "{limit} on a page");
        }
        let nobody = (key.0, key.1, AdjustmentId(6));
        let none = corrected(house.store(), nobody, Paging { limit: 5, cursor: None });
        assert_eq!(none.expect("read").items, []);
    }
}
