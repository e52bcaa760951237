//! Prices of usage over HTTP.

mod backtest;
mod evaluate;
mod price;
mod rated;
mod view;

pub use backtest::{BackTestBody, BackTestView, DifferenceView, TestedPeriodView, backtest};
pub use evaluate::{EvaluateBody, EvaluatedView, EvaluationView, evaluate};
pub use price::{PriceBody, get, put};
pub use rated::{BandView, LimitsView};
pub use view::PriceView;

use actors::domain::billing::pricing::{PriceConfig, PriceConfigRequest};
use actors::domain::platform::seller::Scope;
use actors::domain::refusal::Refusal;

use crate::gate::Route;
use crate::http::ApiError;

fn checked(config: Option<PriceConfigRequest>) -> Result<PriceConfig, ApiError> {
    let config = config.ok_or_else(|| ApiError::invalid("config is required"))?;
    Ok(config.check().map_err(Refusal::from)?)
}

pub fn evaluation_routes() -> Vec<Route> {
    vec![
        Route::post("/prices/evaluate", evaluate)
            .named("evaluatePrice")
            .needs(Scope::BillingRead)
            .may_only_read()
            .summary("Evaluate a price")
            .describe(
                "What each quantity would cost as a period of its own, after allotment, caps and \
             minimum. Pure: nothing is stored and no contract is needed, so any ISO 4217 currency \
             will do, each with its own number of decimals. A quantity of `\"0\"` is read as a \
             period that had events: `tiered` charges the first band's `flatAmount`.",
            )
            .body::<EvaluateBody>()
            .answer::<EvaluationView>(200, "The amounts, with their bands.")
            .refuses(400, "A field of the configuration or a quantity is at fault; it is named.")
            .refuses(422, "`per_seat` is charged by seat-days and cannot be evaluated."),
    ]
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::put("/contracts/{contractId}/metrics/{metricName}/price", put)
            .named("setPrice")
            .summary("Put a metric's price on a contract")
            .describe(
                "Adds a version. The configuration in force on a period's first day rates \
                 all of the period; where there is none, the first that takes effect inside \
                 it. For one day the highest version stands, and the one before it is kept \
                 only where a period was rated by it; a body that says what stands for its \
                 day already answers that version. A closed period is never rated again. \
                 `platform.seat.active` takes `per_seat` and nothing else does.",
            )
            .path_id("contractId")
            .path_text("metricName", "The name of a registered metric.")
            .body::<PriceBody>()
            .answer::<PriceView>(200, "The version.")
            .refuses(400, "A field of the configuration is at fault; it is named.")
            .refuses(404, "The contract or the metric is unknown, or another seller's.")
            .refuses(422, "The metric has 1,000 versions on the contract."),
        Route::get("/contracts/{contractId}/metrics/{metricName}/price", get)
            .named("getPrice")
            .summary("Read a metric's price on a contract")
            .describe("The configuration in force today.")
            .path_id("contractId")
            .path_text("metricName", "The name of a metric.")
            .answer::<PriceView>(200, "The version.")
            .refuses(404, "The metric has no price today, or the contract is unknown."),
    ]
}

pub fn backtest_routes() -> Vec<Route> {
    vec![
        Route::post(
        "/contracts/{contractId}/metrics/{metric}/price/backtest",
        backtest,
    ).named("backTestPrice")
    .needs(Scope::BillingRead)
    .may_only_read()
    .summary("Back-test a metric's price on a contract")
    .describe(
        "What the metric's closed periods would have billed by this price, beside what they did \
         bill. Pure: nothing is stored. Shown are the closed periods that begin from `from` up to \
         `to`, without `to` itself; a period belongs to the day on which it begins, and is rated \
         whole, however far beyond `to` it goes. At most 1,000 are shown.\n\nEach period is rated \
         from the quantity that was recorded for it, late events not counted, as if the price had \
         been in force all the time: where units roll over, all closed periods from the metric's \
         oldest one on are rated, so that the first one shown begins with what would have rolled \
         into it; only the oldest begins with none. Units roll over as in billing: to the next \
         period of the same subscription, not out of a trial and not out of its last period. \
         Trials stay free. Corrections of late events are in neither amount.",
    )
    .path_id("contractId")
    .path_text("metric", "The name of a registered metric.")
    .body::<BackTestBody>()
    .answer::<BackTestView>(200, "The periods and their sums; maybe none, and zeros.")
    .refuses(
        400,
        "A field of the configuration or a bound is at fault, `from` is not before `to`, the \
         configuration is not one for the metric or the contract's currency, more than 1,000 \
         periods, or a period comes to more than 10^15 minor units.",
    )
    .refuses(404, "The contract or the metric is unknown, or another seller's."),
    ]
}
