//! The test clock of a contract over HTTP.

mod view;

use std::sync::Arc;

use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use actors::tables::CLOCKS;
use serde::Deserialize;
use utoipa::ToSchema;

pub use view::{AdvanceView, ClockView};

use super::contracts::require_contract;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// Where the clock is to stand.
#[derive(Deserialize, ToSchema)]
pub struct AdvanceBody {
    /// After the clock as it stands, at most 366 days, and in the year 9980 at the latest.
    to: Timestamp,
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    only_demo(&request)?;
    let id = require_contract(&app, &request)?;
    let clock = app.store.get(CLOCKS, &(request.seller_id(), id))?;
    Ok(Response::ok(&ClockView::new(id, clock.as_ref(), request.now)))
}

pub async fn advance(app: Arc<App>, request: Request) -> ApiResult {
    only_demo(&request)?;
    let id = require_contract(&app, &request)?;
    let AdvanceBody { to } = request.json()?;
    let advanced = app.contracts.advance_clock(request.seller_id(), id, to).await?;
    Ok(Response::ok(&AdvanceView::new(id, &advanced, to)))
}

/// Live accounts live in real time; this is said before anything of the contract is.
fn only_demo(request: &Request) -> Result<(), ApiError> {
    match request.seller().seller.mode {
        Mode::Demo => Ok(()),
        Mode::Live => Err(ApiError::forbidden("test clocks are for demo accounts only")),
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/contracts/{contractId}/test-clock", get).named("getTestClock")
            .summary("Read the test clock of a contract")
            .describe("Reading makes no clock: until the first advance, `now` is the real time.")
            .path_id("contractId")
            .answer::<ClockView>(200, "The clock.")
            .refuses(403, "A live account has no test clocks, or the key lacks `billing:read`."),
        Route::post("/contracts/{contractId}/test-clock/advance", advance).named("advanceTestClock")
            .summary("Advance the test clock of a contract")
            .describe(
                "Moves the contract's own time forward, lets its subscriptions do what is due by \
                 then, and issues at most one invoice of their due terms. Saved cards are charged on \
                 the way, each on its day, and the answer counts what came of it; so reminders go \
                 out. The first advance \
                 freezes the clock: from then on it moves by advances only. A long advance goes \
                 in strides, through what is due in the order of its days; until it is answered \
                 the clock shows how far it has come. One that was broken off is gone on with by \
                 the same request.",
            )
            .path_id("contractId")
            .body::<AdvanceBody>()
            .answer::<AdvanceView>(200, "The clock, and what came of it.")
            .refuses(
                400,
                "`to` is no RFC 3339 instant, in the past, over 366 days ahead, or after 9980.",
            )
            .refuses(403, "A live account has no test clocks, or the key lacks `billing:write`."),
    ]
}
