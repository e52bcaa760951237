//! `GET /tax/rates`.

use std::sync::Arc;

use actors::domain::billing::tax::{CountryRate, RateKind, is_in_eu, rates_begin, rates_of};
use actors::domain::country::Country;
use actors::domain::quantity::TaxRate;
use actors::domain::time::Date;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// The rates of one country on one day.
#[derive(Serialize, ToSchema)]
pub struct RatesView {
    #[schema(value_type = String)]
    country: Country,
    on: Date,
    rates: Vec<RateView>,
}

/// A rate.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
pub struct RateView {
    kind: RateKind,
    /// Percent.
    rate: TaxRate,
    /// The first day on which it holds, or the first that the table knows.
    from: Date,
    /// The last day; absent while no end is known.
    until: Option<Date>,
}

pub(super) async fn rates(_: Arc<App>, request: Request) -> ApiResult {
    let read = |text: &str| Country::parse(text).filter(|country| is_in_eu(*country));
    let country = request.query_as("country", "the code of a member of the EU", read)?;
    let country = country.ok_or_else(|| ApiError::invalid("country is required"))?;
    let on = request.query_as("on", "a day, YYYY-MM-DD", Date::parse)?;
    let on = on.unwrap_or_else(|| request.now.date());
    if let Some(first) = rates_begin().filter(|first| on < *first) {
        return Err(ApiError::invalid(format!("on must not be before {first}")));
    }
    let rates = rates_of(country, on).map(RateView::from).collect();
    Ok(Response::ok(&RatesView { country, on, rates }))
}

impl From<&CountryRate> for RateView {
    fn from(of: &CountryRate) -> Self {
        Self { kind: of.kind, rate: of.rate, from: of.from, until: of.until }
    }
}
