//! `POST /contracts/{contractId}/metrics/{metric}/price/backtest`: what closed periods would have
//! billed by another price.

use std::sync::Arc;

use actors::domain::billing::pricing::{
    BackTested, Basis, PriceConfig, PriceConfigRequest, back_test, check_fit,
};
use actors::domain::billing::subscription::Span;
use actors::domain::billing::usage::MetricName;
use actors::domain::money::Currency;
use actors::domain::quantity::plain_text;
use actors::domain::refusal::Refusal;
use actors::domain::time::Date;
use actors::query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::checked;
use super::rated::{BandView, LimitsView};
use crate::api::billing::contracts::require_contract;
use crate::api::billing::invoices::RatedBasisView;
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// A price that is tried, and the time in which the periods begin that it is tried on.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackTestBody {
    #[schema(required)]
    config: Option<PriceConfigRequest>,
    /// The first day on which a period may begin.
    #[schema(required, value_type = Option<Date>)]
    from: Option<String>,
    /// The first day on which none may begin any more.
    #[schema(required, value_type = Option<Date>)]
    to: Option<String>,
}

/// Closed periods, billed and by the price that was tried.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackTestView {
    contract_id: u64,
    metric_name: String,
    currency: Currency,
    from: Date,
    to: Date,
    /// In order of time.
    periods: Vec<TestedPeriodView>,
    /// The sums over `periods`.
    totals: DifferenceView,
}

/// A closed period, billed and by the price that was tried.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TestedPeriodView {
    period_start: Date,
    period_end: Date,
    /// The metering subscription.
    subscription_id: u64,
    /// What was used; days of seats for seats.
    quantity: String,
    /// Whether the period lies in a trial, which costs nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    trial: bool,
    #[serde(flatten)]
    amounts: DifferenceView,
    /// Which limits would have acted.
    flags: LimitsView,
    /// What each band would have charged; none for seats.
    lines: Vec<BandView>,
    #[serde(flatten)]
    basis: RatedBasisView,
}

/// Two amounts and what lies between them, in minor units before tax.
#[derive(Clone, Copy, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DifferenceView {
    /// What the closed line comes to, whether or not an invoice carries it yet.
    billed_minor: i64,
    would_be_minor: i64,
    /// `wouldBeMinor` less `billedMinor`.
    difference_minor: i64,
}

pub async fn backtest(app: Arc<App>, request: Request) -> ApiResult {
    let (id, seller) = (require_contract(&app, &request)?, request.seller_id());
    let contract = query::contract(&app.store, seller, id)?.ok_or_else(ApiError::missing)?;
    let metric = MetricName::parse(&request.text_param("metric")?).ok_or_else(ApiError::missing)?;
    if request.seller().metric(&metric).is_none() && !metric.is_seats() {
        return Err(ApiError::missing());
    }
    let (config, shown) = request.json::<BackTestBody>()?.parse()?;
    check_fit(&config, &metric, contract.currency).map_err(Refusal::from)?;
    let name = metric.clone();
    let read = move |store: &_| query::closed_periods(store, seller, id, &name, shown.end);
    let periods = app.blocking(read).await?;
    let tested = back_test(&config, &periods, shown).map_err(Refusal::from)?;
    let periods: Vec<_> = tested.iter().map(TestedPeriodView::from).collect();
    let totals = periods.iter().fold(DifferenceView::default(), |sum, one| sum.plus(one.amounts));
    Ok(Response::ok(&BackTestView {
        contract_id: id.0,
        metric_name: metric.as_str().to_owned(),
        currency: config.currency,
        from: shown.start,
        to: shown.end,
        periods,
        totals,
    }))
}

impl BackTestBody {
    fn parse(self) -> Result<(PriceConfig, Span), ApiError> {
        let config = checked(self.config)?;
        let (start, end) = (day("from", self.from)?, day("to", self.to)?);
        match start < end {
            true => Ok((config, Span { start, end })),
            false => Err(ApiError::invalid("from must be before to")),
        }
    }
}

fn day(field: &str, text: Option<String>) -> Result<Date, ApiError> {
    let text = text.ok_or_else(|| ApiError::invalid(format!("{field} is required")))?;
    let malformed = || ApiError::invalid(format!("{field} must be a date, YYYY-MM-DD"));
    Date::parse(&text).ok_or_else(malformed)
}

impl DifferenceView {
    /// The sums; of at most 1,000 periods, so that they stay in range.
    fn plus(self, other: Self) -> Self {
        Self {
            billed_minor: self.billed_minor + other.billed_minor,
            would_be_minor: self.would_be_minor + other.would_be_minor,
            difference_minor: self.difference_minor + other.difference_minor,
        }
    }
}

impl From<&BackTested> for TestedPeriodView {
    fn from(of: &BackTested) -> Self {
        let BackTested { period, rating } = of;
        Self {
            period_start: period.span.start,
            period_end: period.span.end,
            subscription_id: period.subscription.0,
            quantity: plain_text(period.quantity()),
            trial: period.trial,
            amounts: DifferenceView {
                billed_minor: period.billed_minor,
                would_be_minor: rating.amount_minor,
                difference_minor: of.difference_minor(),
            },
            flags: rating.flags.into(),
            lines: rating.lines().iter().map(BandView::from).collect(),
            basis: match &rating.basis {
                Basis::Units(units) => RatedBasisView::Units(units.into()),
                Basis::Seats(seats) => RatedBasisView::Seats(seats.into()),
            },
        }
    }
}
