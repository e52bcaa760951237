//! Usage limits, seats, and corrections of late usage.

use std::sync::Arc;

use actors::contract::SeatsChanged;
use actors::domain::billing::usage::{Adjustment, CapMode, CorrectLate, LimitChange, MetricName};
use actors::domain::ids::{ContractId, SellerId, UsageEventId};
use actors::domain::quantity::Quantity;
use actors::domain::time::Timestamp;
use actors::query;
use actors::tables::{LATE_EVENTS, LATE_HOMES};
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::reason::Reason;
use crate::api::wire::stated;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What a period of a contract may use of a metric; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LimitBody {
    contract_id: ContractId,
    metric: String,
    /// The most that may be used; `null` removes the limit.
    #[serde(default, deserialize_with = "stated")]
    #[schema(value_type = Option<Quantity>)]
    cap_quantity: Option<Option<Quantity>>,
    cap_mode: Option<CapMode>,
}

#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LimitView {
    contract_id: u64,
    metric: String,
    cap_quantity: Option<Quantity>,
    cap_mode: Option<CapMode>,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SeatsBody {
    contract_id: ContractId,
    /// How many there are then.
    seats: i64,
    /// From when on, not ahead; now by default. It holds until the next change behind it: what was
    /// said of a later time stays.
    at: Option<Timestamp>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SeatsView {
    contract_id: u64,
    /// How many there are now.
    seats: i64,
    /// By how many they changed at that time.
    delta: i64,
    at: Timestamp,
}

#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LateBody {
    event_id: UsageEventId,
    /// What the customer reads on the document; that it was recorded late by default.
    reason: Option<Reason>,
    /// What it costs before tax; by the price of its closed period by default.
    amount_minor: Option<i64>,
}

#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CorrectionView {
    id: u64,
    contract_id: u64,
    event_ids: Vec<u64>,
    metric: Option<String>,
    /// What the next usage document adds, before tax; below 0 is a credit, which becomes stored
    /// credit where no document is to come.
    amount_minor: i64,
    reason: String,
    created_at: Timestamp,
}

impl From<Adjustment> for CorrectionView {
    fn from(made: Adjustment) -> Self {
        Self {
            id: made.id.0,
            contract_id: made.contract.0,
            event_ids: made.events.iter().map(|event| event.0).collect(),
            metric: made.metric.map(|metric| metric.as_str().to_owned()),
            amount_minor: made.amount_minor,
            reason: made.description,
            created_at: made.created_at,
        }
    }
}

pub(super) fn require_contract(
    app: &App,
    seller: SellerId,
    id: ContractId,
) -> Result<(), ApiError> {
    query::contract(&app.store, seller, id)?.map(|_| ()).ok_or_else(ApiError::missing)
}

async fn limit(app: Arc<App>, request: Request) -> ApiResult {
    let body: LimitBody = request.json()?;
    let (seller, contract) = (request.seller_id(), body.contract_id);
    require_contract(&app, seller, contract)?;
    let metric = MetricName::parse(&body.metric)
        .ok_or_else(|| ApiError::invalid(format!("metric {} is not registered", body.metric)))?;
    let change = LimitChange { cap_quantity: body.cap_quantity, mode: body.cap_mode };
    let set = app.contracts.set_usage_limit(seller, contract, metric, change).await?;
    Ok(Response::ok(&LimitView {
        contract_id: contract.0,
        metric: body.metric,
        cap_quantity: set.as_ref().map(|limit| limit.cap_quantity),
        cap_mode: set.map(|limit| limit.mode),
    }))
}

async fn seats(app: Arc<App>, request: Request) -> ApiResult {
    let SeatsBody { contract_id, seats, at } = request.json()?;
    let seller = request.seller_id();
    require_contract(&app, seller, contract_id)?;
    let SeatsChanged { change, seats } =
        app.contracts.set_seats(seller, contract_id, seats, at).await?;
    let view = SeatsView { contract_id: contract_id.0, seats, delta: change.delta, at: change.at };
    Ok(Response::ok(&view))
}

async fn correct(app: Arc<App>, request: Request) -> ApiResult {
    let LateBody { event_id, reason, amount_minor } = request.json()?;
    let seller = request.seller_id();
    let home = app.store.get(LATE_HOMES, &(seller, event_id))?.ok_or_else(ApiError::missing)?;
    let late = app.store.get(LATE_EVENTS, &(seller, home, event_id))?;
    let late = late.ok_or_else(ApiError::missing)?;
    let on = late.event.occurred_at.date();
    let said = reason.map(|Reason(said)| said);
    let description = said.unwrap_or_else(|| format!("{}, {on}, recorded late", late.metric));
    let events = vec![event_id];
    let asked = CorrectLate { events, amount_minor, description, key: format!("late-{event_id}") };
    let made = app.contracts.correct_late_usage(seller, home, asked).await?;
    Ok(Response::ok(&CorrectionView::from(made)))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/late-usage", correct)
            .summary("Correct a late event: the next usage document charges for it")
            .body::<LateBody>()
            .answer::<CorrectionView>(200, "The correction."),
        Route::post("/usage-limit", limit)
            .summary("Set what a period may use of a metric, or remove the limit")
            .body::<LimitBody>()
            .answer::<LimitView>(200, "The limit."),
        Route::post("/seats", seats)
            .summary("Set how many seats a contract has")
            .body::<SeatsBody>()
            .answer::<SeatsView>(200, "The change."),
    ]
}
