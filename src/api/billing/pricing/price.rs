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
use crate::api::billing::contracts::{apart, demand};
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

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

pub async fn put(app: Arc<App>, call: Call) -> Answer {
    let contract = demand(&app, &call)?;
    let body = call.json::<PriceBody>()?;
    let effective_from =
        body.effective_from.ok_or_else(|| Problem::invalid("effectiveFrom is required"))?;
    let effective_from = Date::parse(&effective_from)
        .ok_or_else(|| Problem::invalid("effectiveFrom must be a date, YYYY-MM-DD"))?;
    let config = checked(body.config)?;
    let metric = metric(&call)?
        .ok_or_else(|| Problem::invalid("metricName must be the name of a registered metric"))?;
    let new = NewPrice { metric: metric.clone(), effective_from, config };
    let price = app.contracts.set_price(call.seller_id(), contract, new).await?;
    Ok(Reply::ok(&PriceView::new(contract.0, metric.as_str(), &price)))
}

pub async fn get(app: Arc<App>, call: Call) -> Answer {
    let contract = demand(&app, &call)?;
    let metric = metric(&call)?.ok_or_else(unpriced)?;
    let (seller, name) = (call.seller_id(), metric.clone());
    let read = move |store: &_| query::prices(store, seller, contract, &name);
    let prices = apart(&app, read).await?;
    let price = current(&prices, call.now.date()).ok_or_else(unpriced)?;
    Ok(Reply::ok(&PriceView::new(contract.0, metric.as_str(), price)))
}

/// The metric of the path; nothing where it is a name that cannot be registered.
fn metric(call: &Call) -> Result<Option<MetricName>, Problem> {
    Ok(MetricName::parse(&call.text_param("metricName")?))
}

fn unpriced() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "this metric has no price configured")
}
