//! `POST /prices/evaluate`: what quantities would cost.

use std::sync::Arc;

use actors::domain::billing::pricing::{self, Basis, PriceConfigRequest, Rating};
use actors::domain::money::Currency;
use actors::domain::quantity::Quantity;
use actors::domain::refusal::Refusal;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::checked;
use super::rated::{BandView, LimitsView};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiResult, Response};

/// A configuration and the quantities to rate by it.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvaluateBody {
    #[schema(required)]
    config: Option<PriceConfigRequest>,
    /// 1 to 100 decimal strings.
    #[schema(required)]
    quantities: Option<Vec<String>>,
}

/// What each quantity would cost as a period of its own.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvaluationView {
    /// In the order of `quantities`.
    results: Vec<EvaluatedView>,
}

/// One quantity.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvaluatedView {
    quantity: Quantity,
    /// Minor units, after all limits.
    amount_minor: i64,
    currency: Currency,
    flags: LimitsView,
    /// The bands that charge something.
    lines: Vec<BandView>,
}

pub async fn evaluate(_: Arc<App>, request: Request) -> ApiResult {
    let body = request.json::<EvaluateBody>()?;
    let config = checked(body.config)?;
    let quantities = body.quantities.unwrap_or_default();
    let rated = pricing::evaluate(&config, &quantities).map_err(Refusal::from)?;
    let currency = config.currency;
    let results = rated.iter().map(|(quantity, rating)| EvaluatedView {
        quantity: *quantity,
        amount_minor: rating.amount_minor,
        currency,
        flags: LimitsView::from(rating.flags),
        lines: lines(rating),
    });
    Ok(Response::ok(&EvaluationView { results: results.collect() }))
}

fn lines(rating: &Rating) -> Vec<BandView> {
    match &rating.basis {
        Basis::Units(units) => units.lines.iter().map(BandView::from).collect(),
        Basis::Seats(_) => Vec::new(),
    }
}
