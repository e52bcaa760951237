//! Usage limits and seats.

use std::sync::Arc;

use actors::contract::SeatsChanged;
use actors::domain::billing::usage::{CapMode, MetricName, UsageLimit};
use actors::domain::ids::{ContractId, SellerId};
use actors::domain::quantity::Quantity;
use actors::domain::time::Timestamp;
use actors::query;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What a period of a contract may use of a metric.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct LimitBody {
    contract_id: ContractId,
    metric: String,
    /// The most that may be used; `null` removes the limit.
    cap_quantity: Option<Quantity>,
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
    /// From when on, not ahead; now by default.
    at: Option<Timestamp>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SeatsView {
    contract_id: u64,
    /// How many there are now.
    seats: i64,
    /// By how many they changed.
    delta: i64,
    at: Timestamp,
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
    let limit = match (body.cap_quantity, body.cap_mode) {
        (Some(cap_quantity), Some(mode)) => Some(UsageLimit { cap_quantity, mode }),
        (Some(_), None) => return Err(ApiError::invalid("capMode is required")),
        (None, _) => None,
    };
    let set = app.contracts.set_usage_limit(seller, contract, metric, limit).await?;
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
    if seats < 0 {
        return Err(ApiError::invalid("seats must be at least 0"));
    }
    let SeatsChanged { change, seats } =
        app.contracts.set_seats(seller, contract_id, seats, at).await?;
    let view = SeatsView { contract_id: contract_id.0, seats, delta: change.delta, at: change.at };
    Ok(Response::ok(&view))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
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
