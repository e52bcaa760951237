//! The test clock of a contract over HTTP.

mod view;

use std::sync::Arc;

use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use actors::tables::CLOCKS;
use serde::Deserialize;
use utoipa::ToSchema;

pub use view::{AdvanceView, ClockView};

use super::contracts::demand;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

/// Where the clock is to stand.
#[derive(Deserialize, ToSchema)]
pub struct AdvanceBody {
    /// After the clock as it stands, at most 366 days.
    to: Timestamp,
}

pub async fn get(app: Arc<App>, call: Call) -> Answer {
    only_demo(&call)?;
    let id = demand(&app, &call)?;
    let clock = app.store.get(CLOCKS, &(call.seller_id(), id))?;
    Ok(Reply::ok(&ClockView::new(id, clock.as_ref(), call.now)))
}

pub async fn advance(app: Arc<App>, call: Call) -> Answer {
    only_demo(&call)?;
    let id = demand(&app, &call)?;
    let AdvanceBody { to } = call.json()?;
    let advanced = app.contracts.advance_clock(call.seller_id(), id, to).await?;
    Ok(Reply::ok(&AdvanceView::new(id, &advanced, to)))
}

/// Live accounts live in real time; this is said before anything of the contract is.
fn only_demo(call: &Call) -> Result<(), Problem> {
    match call.seller().seller.mode {
        Mode::Demo => Ok(()),
        Mode::Live => Err(Problem::forbidden("test clocks are for demo accounts only")),
    }
}
