//! The price of a metric on a contract: put and read.

use std::sync::Arc;

use actors::contract::NewPrice;
use actors::domain::billing::pricing::{PriceConfigRequest, current};
use actors::domain::billing::usage::MetricName;
use actors::domain::time::Date;
use actors::query;
use hyper::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

use super::checked;
use super::view::PriceView;
use crate::api::billing::contracts::require_contract;
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// A price and its first day.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PriceBody {
    /// The first day on which it may rate a period; it may lie in the past, and moves no amount
    /// that is closed.
    #[schema(required, value_type = Option<Date>)]
    effective_from: Option<String>,
    #[schema(required)]
    config: Option<PriceConfigRequest>,
}

pub async fn put(app: Arc<App>, request: Request) -> ApiResult {
    let contract = require_contract(&app, &request)?;
    let metric = metric(&request)?.ok_or_else(ApiError::missing)?;
    if request.seller().metric(&metric).is_none() && !metric.is_seats() {
        return Err(ApiError::missing());
    }
    let body = request.json::<PriceBody>()?;
    let effective_from =
        body.effective_from.ok_or_else(|| ApiError::invalid("effectiveFrom is required"))?;
    let effective_from = Date::parse(&effective_from)
        .ok_or_else(|| ApiError::invalid("effectiveFrom must be a date, YYYY-MM-DD"))?;
    let config = checked(body.config)?;
    let new = NewPrice { metric: metric.clone(), effective_from, config };
    let price = app.contracts.set_price(request.seller_id(), contract, new).await?;
    Ok(Response::ok(&PriceView::new(contract.0, metric.as_str(), &price)))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let contract = require_contract(&app, &request)?;
    let metric = metric(&request)?.ok_or_else(unpriced)?;
    let (seller, name) = (request.seller_id(), metric.clone());
    let read = move |store: &_| query::prices(store, seller, contract, &name);
    let prices = app.blocking(read).await?;
    let price = current(&prices, request.now.date()).ok_or_else(unpriced)?;
    Ok(Response::ok(&PriceView::new(contract.0, metric.as_str(), price)))
}

/// The metric of the path; nothing where it is a name that cannot be registered.
fn metric(request: &Request) -> Result<Option<MetricName>, ApiError> {
    Ok(MetricName::parse(&request.text_param("metricName")?))
}

fn unpriced() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, "this metric has no price configured")
}
