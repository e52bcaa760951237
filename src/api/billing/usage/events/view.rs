use actors::domain::billing::usage::Ingested;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

/// Why an event counts to no period yet.
const UNMETERED: &str = "no subscription of the contract covers occurredAt; the event is kept, \
                         and counts once one does";

/// What became of an event.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IngestView {
    /// `ingested`, or `duplicate` for one that was recorded before.
    status: &'static str,
    event_id: u64,
    /// Whether a subscription of the contract covers `occurredAt`.
    metered: bool,
    /// Why it is not metered.
    message: Option<&'static str>,
    /// `true` when `occurredAt` lies in a period that was closed before the event came; it is
    /// listed for correction and moves no closed amount. Else absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(value_type = Option<bool>)]
    late: bool,
}

/// What became of a batch.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchView {
    /// Items recorded now.
    ingested: usize,
    /// Items recorded before.
    duplicates: usize,
    /// Items not recorded.
    rejected: usize,
    /// Every item, in the order of the request.
    items: Vec<BatchItemView>,
}

/// What became of one item of a batch.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchItemView {
    /// Its place in `events`, from 0.
    index: usize,
    /// `ingested`, `duplicate` or `rejected`.
    status: &'static str,
    event_id: Option<u64>,
    /// When stored: whether a subscription of the contract covers `occurredAt`.
    metered: Option<bool>,
    /// `true` when its period was closed before it came; else absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(value_type = Option<bool>)]
    late: bool,
    /// When rejected: why.
    reason: Option<String>,
}

fn status(ingested: &Ingested) -> &'static str {
    if ingested.duplicate { "duplicate" } else { "ingested" }
}

impl From<&Ingested> for IngestView {
    fn from(of: &Ingested) -> Self {
        Self {
            status: status(of),
            event_id: of.event.0,
            metered: of.metered,
            message: (!of.metered).then_some(UNMETERED),
            late: of.late,
        }
    }
}

impl BatchItemView {
    fn new(index: usize, outcome: Result<Ingested, String>) -> Self {
        match outcome {
            Ok(stored) => Self {
                index,
                status: status(&stored),
                event_id: Some(stored.event.0),
                metered: Some(stored.metered),
                late: stored.late,
                reason: None,
            },
            Err(reason) => Self {
                index,
                status: "rejected",
                event_id: None,
                metered: None,
                late: false,
                reason: Some(reason),
            },
        }
    }
}

impl BatchView {
    /// What became of items, in the order of the request; the rejected ones have their reason.
    pub(super) fn new(outcomes: impl Iterator<Item = Result<Ingested, String>>) -> Self {
        let items: Vec<BatchItemView> = outcomes
            .enumerate()
            .map(|(index, outcome)| BatchItemView::new(index, outcome))
            .collect();
        let count = |status| items.iter().filter(|item| item.status == status).count();
        Self {
            ingested: count("ingested"),
            duplicates: count("duplicate"),
            rejected: count("rejected"),
            items,
        }
    }
}
