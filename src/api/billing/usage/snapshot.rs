//! `GET /contracts/{contractId}/usage`: what was used so far.

use std::sync::Arc;

use actors::contract::UsageSoFar;
use actors::domain::billing::usage::{BlockedUsage, CapMode, MetricUsage};
use actors::domain::ids::ContractId;
use actors::domain::quantity::{Quantity, plain_text};
use actors::domain::time::Date;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::api::billing::contracts::require_contract;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiResult, Response};

/// What was used so far in the open period of a contract.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageView {
    contract_id: u64,
    /// By name: those with usage in the open period, or a usage limit.
    metrics: Vec<MetricUsageView>,
    /// Usage that is beyond the amount of a document: periods that stay open, and closed ones that
    /// no invoice can carry, until a correction lowers them. Nothing else waits for them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocked: Vec<BlockedView>,
}

/// Usage of a period that cannot be billed as it is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockedView {
    metric_name: String,
    /// First day of the period.
    period_start: Date,
    /// First day after it.
    period_end: Date,
    reason: String,
}

/// One metric in the open period. Decimals are plain: no exponent, no needless zeros.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MetricUsageView {
    metric_name: String,
    /// The quantity metered so far. Of `platform.seat.active` days of seats: the seats that each
    /// day of the period has ended with, together, and those of today as there are now.
    used: String,
    /// `true` when the metric counts distinct values and there are more than 1,000: `used` is a
    /// floor then. Else absent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(value_type = Option<bool>)]
    overflowed: bool,
    /// What the price includes.
    included_units: Option<String>,
    /// The usage limit.
    cap_quantity: Option<Quantity>,
    /// `hard` refuses events beyond the limit, `soft` does not.
    cap_mode: Option<CapMode>,
    /// `used` in percent of `includedUnits`, at most 2 decimals, rounded half up.
    percent_of_plan: Option<String>,
    /// `used` in percent of `capQuantity`, likewise.
    percent_of_cap: Option<String>,
    /// First day of the open period; absent while nothing was used in it.
    period_start: Option<Date>,
    /// First day after it.
    period_end: Option<Date>,
}

pub async fn snapshot(app: Arc<App>, request: Request) -> ApiResult {
    let contract = require_contract(&app, &request)?;
    let usage = app.contracts.usage(request.seller_id(), contract).await?;
    Ok(Response::ok(&UsageView::new(contract, &usage)))
}

impl UsageView {
    fn new(contract: ContractId, usage: &UsageSoFar) -> Self {
        Self {
            contract_id: contract.0,
            metrics: usage.metrics.iter().map(MetricUsageView::from).collect(),
            blocked: usage.blocked.iter().map(BlockedView::from).collect(),
        }
    }
}

impl From<&BlockedUsage> for BlockedView {
    fn from(of: &BlockedUsage) -> Self {
        Self {
            metric_name: of.metric.as_str().to_owned(),
            period_start: of.span.start,
            period_end: of.span.end,
            reason: of.reason.clone(),
        }
    }
}

impl From<&MetricUsage> for MetricUsageView {
    fn from(of: &MetricUsage) -> Self {
        Self {
            metric_name: of.metric.as_str().to_owned(),
            used: plain_text(of.used),
            overflowed: of.overflowed,
            included_units: of.included_units.map(plain_text),
            cap_quantity: of.limit.map(|limit| limit.cap_quantity),
            cap_mode: of.limit.map(|limit| limit.mode),
            percent_of_plan: of.percent_of_plan.map(plain_text),
            percent_of_cap: of.percent_of_cap.map(plain_text),
            period_start: of.period.map(|period| period.start),
            period_end: of.period.map(|period| period.end),
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/contracts/{contractId}/usage", snapshot)
            .named("getContractUsage")
            .summary("Read the usage of the open period")
            .describe(
                "A live reading before any allowance, credit, discount or rounding: not what is \
                 owed. An event that was answered is in it. Metering goes by the wall clock, not \
                 by the contract's test clock.",
            )
            .path_id("contractId")
            .answer::<UsageView>(200, "The metrics of the open period; maybe none."),
    ]
}
