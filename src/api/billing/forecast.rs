//! `POST /contracts/{contractId}/simulate`: what a contract would bill by a day.

mod assume;
mod document;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use actors::contract::ForecastOrder;
use actors::domain::billing::invoice::parse_bound;
use actors::domain::platform::seller::Scope;
use serde::Deserialize;
use utoipa::ToSchema;

pub use self::assume::{
    AssumeBody, AssumedActionBody, AssumedChangeBody, AssumedPriceBody, AssumedUsageBody,
};
pub use self::document::ForecastDocumentView;
pub use self::view::{ForecastEntryView, ForecastTotalsView, ForecastView, MonthView};
use crate::api::billing::contracts::require_contract;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// How far to look, and what to assume on the way.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SimulateBody {
    /// A day, meant as its midnight in UTC, or an RFC 3339 instant: at most 3 years after the
    /// contract's clock, that instant included.
    #[schema(required, value_type = Option<String>)]
    to: Option<String>,
    assume: Option<AssumeBody>,
}

impl SimulateBody {
    fn parse(self) -> Result<ForecastOrder, ApiError> {
        let to = self.to.ok_or_else(|| ApiError::invalid("to is required"))?;
        let malformed = || ApiError::invalid("to must be a date or an RFC 3339 timestamp");
        let to = parse_bound(&to).ok_or_else(malformed)?;
        self.assume.unwrap_or_default().parse(to)
    }
}

pub async fn simulate(app: Arc<App>, request: Request) -> ApiResult {
    let contract = require_contract(&app, &request)?;
    let order = request.json::<SimulateBody>()?.parse()?;
    let told = app.contracts.forecast(request.seller_id(), contract, order).await?;
    Ok(Response::ok(&ForecastView::new(contract, &told)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/contracts/{contractId}/simulate", simulate)
            .named("simulateContract")
            .needs(Scope::BillingRead)
            .may_only_read()
            .summary("Forecast what a contract bills")
            .describe(
                "A copy of the contract lives on from where its clock stands to `to`, through the \
                 same rules and passes as the contract itself, and is thrown away: nothing is \
                 stored, claimed, mailed or told, and no invoice number is used. `documents` are \
                 the invoices that would be issued, oldest first and dated as they would be, \
                 `subscriptions` stand as at `to`, and `entries` are what the timeline would get, \
                 in order. Amounts of `totals` include tax.\n\nPasses that are switched off count \
                 as on, and a note says so; all other switches stand as they do. Nobody pays in a \
                 forecast: what stored credit does not pay stays open, falls overdue and leads to \
                 no collection. Usage closes by the simulated clock. Like the pass itself a \
                 forecast goes on from the contract's first recurring invoice; \
                 `assume.firstInvoice` makes that one on the day its terms are due.\n\n\
                 `assume.usage` is counted on each day that begins between now and `to`, in \
                 addition to what was sent, as far as hard limits let it; it states a metric \
                 once. `assume.changes` are made when their day begins (today: at once), before \
                 the passes of that day, in the order of their days; `action` is the name of a \
                 route under `/subscriptions/{subscriptionId}`, and beside it stand the fields of \
                 its body. One that would be refused refuses the forecast, with its own status \
                 and its place. `assume.prices` are put on the copy before anything else. Each \
                 list takes 100 items.",
            )
            .path_id("contractId")
            .body::<SimulateBody>()
            .answer::<ForecastView>(200, "The forecast.")
            .refuses(
                400,
                "`to` is missing, malformed, before the contract's clock or more than 3 years \
                 after it; or an assumption is at fault, which is named.",
            )
            .refuses(404, "The contract is unknown, or another seller's.")
            .refuses(
                422,
                "An assumed change does not apply; or there is more to tell by `to` than one \
                 answer takes, which is 20,000 lines and entries; or more usage is assumed than is \
                 counted, which is 2,000,000 values: of a metric one a day, of a `count_unique` \
                 one as many as it has, up to 1,001.",
            ),
    ]
}
