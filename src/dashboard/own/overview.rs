//! How the business stands.

mod cache;

use std::sync::Arc;
use std::time::Duration;

use actors::domain::billing::overview::{
    CurrencyOverview, FailedPayments, Month, MonthFigures, Outstanding, Overview,
};
use actors::domain::ids::SellerId;
use actors::domain::money::Currency;
use actors::domain::time::Timestamp;
use actors::query::{self, NoOverview};
use serde::Serialize;
use storage::Store;
use tokio::time::Instant;
use utoipa::ToSchema;

use self::cache::Made;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

pub use cache::Overviews;

const DEFAULT_MONTHS: usize = 12;
const MOST_MONTHS: usize = 36;

/// How long one may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How the business stands. Money is in minor units, by currency.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OverviewView {
    /// When it was computed: it is shown again for 30 seconds.
    as_of: Timestamp,
    counts: CountsView,
    currencies: Vec<CurrencyView>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CountsView {
    /// Active ones.
    contracts: u64,
    /// Those that are charged for, past due ones too.
    active_subscriptions: u64,
    customers: u64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CurrencyView {
    currency: Currency,
    /// What subscriptions bring a month now, before tax: the price of a term spread over its
    /// months (52 weeks over twelve), each rounded half up.
    recurring_minor: i64,
    /// Oldest month first.
    movement: Vec<MovementView>,
    /// Grand totals of documents by their month, less credit notes, without voided ones.
    billed: Vec<MonthSumView>,
    /// Money that came for documents, by the month in which it came.
    collected: Vec<MonthSumView>,
    outstanding: OutstandingView,
    /// Of the last 30 days.
    failed_payments: FailedPaymentsView,
}

/// How recurring revenue moved in a month: each subscription by what it brought at the month's
/// beginning and at its end. Known since the server keeps it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MovementView {
    /// `YYYY-MM`.
    #[schema(value_type = String)]
    month: Month,
    new_minor: i64,
    expansion_minor: i64,
    contraction_minor: i64,
    churned_minor: i64,
    /// At the end of the month.
    recurring_minor: i64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MonthSumView {
    /// `YYYY-MM`.
    #[schema(value_type = String)]
    month: Month,
    amount_minor: i64,
}

/// What is waited for, by days after the due date.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OutstandingView {
    not_due_minor: i64,
    to30_minor: i64,
    to60_minor: i64,
    to90_minor: i64,
    older_minor: i64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct FailedPaymentsView {
    count: u64,
    amount_minor: i64,
}

impl From<&Made> for OverviewView {
    fn from(made: &Made) -> Self {
        let Overview { active_contracts, active_subscriptions, customers, currencies } =
            &*made.overview;
        Self {
            as_of: made.at,
            counts: CountsView {
                contracts: *active_contracts,
                active_subscriptions: *active_subscriptions,
                customers: *customers,
            },
            currencies: currencies.iter().map(CurrencyView::from).collect(),
        }
    }
}

impl From<&CurrencyOverview> for CurrencyView {
    fn from(of: &CurrencyOverview) -> Self {
        let sums = |minor: fn(&MonthFigures) -> i64| {
            let sum =
                |one: &MonthFigures| MonthSumView { month: one.month, amount_minor: minor(one) };
            of.months.iter().map(sum).collect()
        };
        let Outstanding { not_due_minor, to_30_minor, to_60_minor, to_90_minor, older_minor } =
            of.outstanding;
        let FailedPayments { count, amount_minor } = of.failed_payments;
        Self {
            currency: of.currency,
            recurring_minor: of.recurring_minor,
            movement: of.months.iter().map(MovementView::from).collect(),
            billed: sums(|one| one.billed_minor),
            collected: sums(|one| one.collected_minor),
            outstanding: OutstandingView {
                not_due_minor,
                to30_minor: to_30_minor,
                to60_minor: to_60_minor,
                to90_minor: to_90_minor,
                older_minor,
            },
            failed_payments: FailedPaymentsView { count, amount_minor },
        }
    }
}

impl From<&MonthFigures> for MovementView {
    fn from(of: &MonthFigures) -> Self {
        Self {
            month: of.month,
            new_minor: of.new_minor,
            expansion_minor: of.expansion_minor,
            contraction_minor: of.contraction_minor,
            churned_minor: of.churned_minor,
            recurring_minor: of.recurring_minor,
        }
    }
}

async fn show(app: Arc<App>, request: Request) -> ApiResult {
    let expected = format!("an integer from 1 to {MOST_MONTHS}");
    let months = request.query_as("months", &expected, |text| {
        text.parse().ok().filter(|months| (1..=MOST_MONTHS).contains(months))
    })?;
    let months = months.unwrap_or(DEFAULT_MONTHS);
    let (seller, now) = (request.seller_id(), request.now);
    let made = app.overviews.of(seller, months, now, make(&app, seller, months, now)).await?;
    Ok(Response::ok(&OverviewView::from(&made)))
}

/// Reads an overview; none where that takes too long.
async fn make(
    app: &App,
    seller: SellerId,
    months: usize,
    now: Timestamp,
) -> Result<Option<Overview>, ApiError> {
    let (until, stop) = (Instant::now() + PATIENCE, app.stopping());
    let read = move |store: &Store| {
        let goes_on = || Instant::now() < until && !stop.is_cancelled();
        match query::overview(store, seller, now, months, &goes_on) {
            Ok(overview) => Ok(Some(overview)),
            Err(NoOverview::Stopped) => Ok(None),
            Err(NoOverview::Unread(error)) => Err(error),
        }
    };
    app.blocking(read).await
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/overview", show)
            .summary("How the business stands")
            .query_count("months", MOST_MONTHS, "How many months; 12 by default.")
            .answer::<OverviewView>(200, "Up to the month of the clock that is furthest ahead.")
            .refuses(
                503,
                "The server is busy, or the account is too large for an overview: none is tried \
                 before `Retry-After`.",
            ),
    ]
}
