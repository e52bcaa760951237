use std::sync::Arc;

pub use actors::domain::billing::usage::registry::NewMetric as NewMetricBody;
use actors::domain::billing::usage::{Aggregation, Metric, MetricName};
use actors::domain::time::Timestamp;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// A metric in its current version.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricView {
    name: String,
    /// Counts the definitions from 1; an event belongs to the one current on its arrival.
    version: u32,
    unit: String,
    aggregation: Aggregation,
    unique_key: Option<String>,
    description: Option<String>,
    /// When this version was registered.
    created_at: Timestamp,
}

/// By name; `platform.seat.active` is there from the start.
pub type MetricList = List<MetricView>;

impl Listed for MetricView {
    const LIST: &'static str = "MetricList";
    const ITEMS: &'static str = "metrics";
    const CURSOR: Option<&'static str> = None;
}

pub async fn register(app: Arc<App>, request: Request) -> ApiResult {
    let new: NewMetricBody = request.json()?;
    let metric = app.sellers.register_metric(request.seller_id(), new).await?;
    Ok(Response::created(&MetricView::from(&metric)))
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let seller = app.directory.seller(request.seller_id())?.ok_or_else(ApiError::missing)?;
    let metrics = seller.metrics().map(|metric| MetricView::from(&**metric)).collect();
    Ok(Response::ok(&MetricList::whole(metrics)))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let name =
        MetricName::parse(&request.text_param("metricName")?).ok_or_else(ApiError::missing)?;
    let seller = app.directory.seller(request.seller_id())?.ok_or_else(ApiError::missing)?;
    let metric = seller.metric(&name).ok_or_else(ApiError::missing)?;
    Ok(Response::ok(&MetricView::from(&**metric)))
}

impl From<&Metric> for MetricView {
    fn from(metric: &Metric) -> Self {
        Self {
            name: metric.name.to_string(),
            version: metric.version,
            unit: metric.unit.clone(),
            aggregation: metric.aggregation,
            unique_key: metric.unique_key.clone(),
            description: metric.description.clone(),
            created_at: metric.created_at,
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/metrics", register)
            .named("createMetric")
            .summary("Register a metric")
            .describe(
                "The definition is `aggregation`, `uniqueKey` and `unit`. Registering it \
                 again changes nothing; another one under the same name is the next version, \
                 to which events belong from then on. Once events of it are recorded only \
                 `unit` can be another, and a period is one quantity over all versions. A new \
                 `description` alone makes no version. `platform.seat.active` is reserved.",
            )
            .body::<NewMetricBody>()
            .answer::<MetricView>(201, "The metric in its current version.")
            .refuses(400, "A field is missing or wrong; the text names it.")
            .refuses(
                422,
                "There are 1,000 metrics, or another `aggregation` or `uniqueKey` is stated for \
                 one that has usage.",
            ),
        Route::get("/metrics", list)
            .named("listMetrics")
            .summary("List metrics")
            .answer::<MetricList>(
                200,
                "All of them, by name: at most 1,000 and `platform.seat.active`.",
            ),
        Route::get("/metrics/{metricName}", get)
            .named("getMetric")
            .summary("Read a metric")
            .path_text("metricName", "The name it is registered under.")
            .answer::<MetricView>(200, "The metric in its current version.")
            .refuses(404, "No metric is registered under the name."),
    ]
}
