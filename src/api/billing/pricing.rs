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
use actors::domain::refusal::Refusal;

use crate::http::Problem;

/// The `config` of a body.
fn checked(config: Option<PriceConfigRequest>) -> Result<PriceConfig, Problem> {
    let config = config.ok_or_else(|| Problem::invalid("config is required"))?;
    Ok(config.check().map_err(Refusal::from)?)
}
