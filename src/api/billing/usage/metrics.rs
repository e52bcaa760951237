//! The metric registry (billing 2.6, 4.6; decisions 11).

use std::sync::Arc;

use actors::domain::billing::usage::registry::NewMetric;
use actors::domain::billing::usage::{Metric, MetricName};
use actors::domain::time::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::Route;
use crate::http::{Answer, Call, Problem, Reply};

/// A metric to be registered.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct NewMetricBody {
    /// What events refer to it by.
    #[schema(required, min_length = 1, max_length = 128, pattern = "^[A-Za-z0-9_.:-]{1,128}$")]
    name: Option<String>,
    /// What is counted; empty by default.
    #[schema(max_length = 32)]
    unit: Option<String>,
    /// `sum`, `max`, `min`, `last`, `count` or `count_unique`.
    #[schema(required)]
    aggregation: Option<String>,
    /// The metadata key whose distinct values are counted; with `count_unique`, and only with it.
    #[schema(min_length = 1, max_length = 128)]
    unique_key: Option<String>,
    /// Absent leaves what was said before; empty takes it away.
    #[schema(max_length = 256)]
    description: Option<String>,
}

/// A metric in its current version.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricView {
    name: String,
    /// Counts the definitions from 1; an event belongs to the one current on its arrival.
    version: u32,
    unit: String,
    /// `sum`, `max`, `min`, `last`, `count` or `count_unique`.
    aggregation: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    unique_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// When this version was registered.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
}

/// All metrics of a seller.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricList {
    /// By name; `platform.seat.active` is there from the start.
    metrics: Vec<MetricView>,
    /// Always false: all of them are on one page.
    has_more: bool,
}

/// `POST /usage/metrics`.
pub async fn register(app: Arc<App>, call: Call) -> Answer {
    let body: NewMetricBody = call.json()?;
    let new = NewMetric {
        name: body.name,
        unit: body.unit,
        aggregation: body.aggregation,
        unique_key: body.unique_key,
        description: body.description,
    };
    let metric = app.sellers.register_metric(call.seller_id(), new).await?;
    Ok(Reply::created(&MetricView::from(&metric)))
}

/// `GET /usage/metrics`.
pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let seller = app.directory.seller(call.seller_id())?.ok_or_else(Problem::missing)?;
    let metrics = seller.metrics.values().map(|metric| MetricView::from(&**metric)).collect();
    Ok(Reply::ok(&MetricList { metrics, has_more: false }))
}

/// `GET /usage/metrics/{metricName}`.
pub async fn get(app: Arc<App>, call: Call) -> Answer {
    let name = MetricName::parse(&call.text_param("metricName")?).ok_or_else(Problem::missing)?;
    let seller = app.directory.seller(call.seller_id())?.ok_or_else(Problem::missing)?;
    let metric = seller.metric(&name).ok_or_else(Problem::missing)?;
    Ok(Reply::ok(&MetricView::from(&**metric)))
}

impl From<&Metric> for MetricView {
    fn from(metric: &Metric) -> Self {
        Self {
            name: metric.name.to_string(),
            version: metric.version,
            unit: metric.unit.clone(),
            aggregation: metric.aggregation.name(),
            unique_key: metric.unique_key.clone(),
            description: metric.description.clone(),
            created_at: metric.created_at,
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/metrics", register)
            .summary("Register a metric")
            .describe(
                "The definition is `aggregation`, `uniqueKey` and `unit`. Registering it \
                 again changes nothing; another one under the same name is the next version, \
                 to which events belong from then on. A new `description` alone makes no \
                 version. `platform.seat.active` is reserved.",
            )
            .body::<NewMetricBody>()
            .answer::<MetricView>(201, "The metric in its current version.")
            .refuses(400, "A field is missing or wrong; the text names it."),
        Route::get("/metrics", list)
            .summary("List metrics")
            .answer::<MetricList>(200, "All of them, by name."),
        Route::get("/metrics/{metricName}", get)
            .summary("Read a metric")
            .path_text("metricName", "The name it is registered under.")
            .answer::<MetricView>(200, "The metric in its current version.")
            .refuses(404, "No metric is registered under the name."),
    ]
}
