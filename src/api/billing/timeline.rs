//! The revenue timeline of a contract over HTTP.

use std::sync::Arc;

use actors::domain::billing::timeline::{TimelineEntry, TimelineKind};
use actors::domain::ids::TimelineId;
use actors::domain::money::Currency;
use actors::domain::time::Timestamp;
use actors::query;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::contracts::require_contract;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiResult, Response};

/// Something that happened to a contract's money.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineEntryView {
    id: u64,
    kind: TimelineKind,
    /// On the contract's own clock.
    occurred_at: Timestamp,
    subscription_id: Option<u64>,
    invoice_id: Option<u64>,
    amount_minor: Option<i64>,
    currency: Option<Currency>,
    /// A sentence for a reader.
    detail: Option<String>,
}

pub type TimelineList = List<TimelineEntryView>;

impl Listed for TimelineEntryView {
    const LIST: &'static str = "TimelineList";
    const ITEMS: &'static str = "entries";
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let id = require_contract(&app, &request)?;
    let found = app.blocking(move |store| query::timeline(store, seller, id, paging)).await?;
    Ok(Response::ok(&TimelineList::from(found)))
}

impl From<(TimelineId, TimelineEntry)> for TimelineEntryView {
    fn from((id, entry): (TimelineId, TimelineEntry)) -> Self {
        Self {
            id: id.0,
            kind: entry.kind,
            occurred_at: entry.occurred_at,
            subscription_id: entry.subscription.map(|id| id.0),
            invoice_id: entry.invoice.map(|id| id.0),
            amount_minor: entry.amount_minor,
            currency: entry.currency,
            detail: entry.detail,
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/contracts/{contractId}/timeline", list)
            .named("listTimeline")
            .summary("List the revenue timeline of a contract")
            .path_id("contractId")
            .paged("beforeId")
            .answer::<TimelineList>(200, "Newest first."),
    ]
}

#[cfg(test)]
mod tests {
    use actors::domain::billing::timeline::{TimelineKind, TimelineRow};
    use actors::domain::ids::{ContractId, InvoiceId, SellerId};
    use actors::tables::TIMELINE;
    use serde_json::json;
    use storage::Batch;
    use storage::testing::TempStore;

    use super::*;

    fn entry(kind: TimelineKind) -> TimelineEntry {
        TimelineEntry {
            kind,
            occurred_at: Timestamp::from_micros(0),
            subscription: None,
            invoice: None,
            amount_minor: None,
            currency: None,
            detail: None,
        }
    }

    #[test]
    fn an_entry_shows_what_it_has() {
        let issued = TimelineEntry {
            invoice: Some(InvoiceId(3)),
            amount_minor: Some(500),
            currency: Some(Currency::EUR),
            ..entry(TimelineKind::InvoiceIssued)
        };
        let view = TimelineEntryView::from((TimelineId(9), issued));
        let expected = json!({
            "id": 9, "kind": "invoice_issued", "occurredAt": "1970-01-01T00:00:00Z",
            "invoiceId": 3, "amountMinor": 500, "currency": "EUR",
        });
        assert_eq!(serde_json::to_value(view).expect("JSON"), expected);
    }

    #[test]
    fn pages_cut_through_the_entries_of_one_write() {
        let house = TempStore::new();
        let (seller, contract) = (SellerId(1), ContractId(2));
        let mut batch = Batch::new();
        for ids in [&[4, 5, 6][..], &[8], &[11, 12]] {
            let row = |id: &u64| (TimelineId(*id), entry(TimelineKind::SubscriptionRenewed));
            let key = (seller, contract, TimelineId(ids[0]));
            batch.put(TIMELINE, &key, &TimelineRow(ids.iter().map(row).collect()));
        }
        house.store().write_blocking(batch).expect("written");
        for limit in 1..=7 {
            let (mut found, mut cursor) = (Vec::new(), None);
            loop {
                let paging = query::Paging { limit, cursor };
                let page = query::timeline(house.store(), seller, contract, paging);
                let page = page.expect("read");
                found.extend(page.items.iter().map(|(id, _)| id.0));
                cursor = page.next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(found, [12, 11, 8, 6, 5, 4], "{limit} on a page");
        }
    }
}
