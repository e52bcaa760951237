//! Prices of usage over HTTP (billing 2.7, 4.6; decisions 6, 11, 12, 14).

mod backtest;
mod body;
mod evaluate;
mod price;
mod rated;
mod view;

pub use backtest::{BackTestBody, BackTestView, DifferenceView, TestedPeriodView, backtest};
pub use body::PriceConfigBody;
pub use evaluate::{EvaluateBody, EvaluatedView, EvaluationView, evaluate};
pub use price::{PriceBody, get, put};
pub use rated::{BandView, LimitsView};
pub use view::PriceView;
