//! `POST /api/v1/demo/fill`: a demo account lives through a year, by requests to the same routes
//! that sellers and buyers reach.

use std::sync::Arc;

use actors::domain::ids::SellerId;
use actors::domain::platform::person::PersonRole;
use bytes::Bytes;
use dashmap::DashMap;
use indicatif::ProgressBar;
use serde::Serialize;
use tokio::sync::Semaphore;
use utoipa::ToSchema;

use super::INSIDE;
use super::credentials::is_form;
use super::login::act;
use crate::app::App;
use crate::cli::client::{Carrier, Client};
use crate::cli::fill_account;
use crate::gate::policy::FORM_LIMIT;
use crate::gate::{Behalf, Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// Accounts that are filled at once; others wait.
const AT_ONCE: usize = 2;

/// The accounts that are being filled.
#[derive(Clone)]
pub struct Fills {
    known: Arc<DashMap<SellerId, ProgressBar>>,
    turns: Arc<Semaphore>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum FillStatus {
    /// Nobody has asked for it.
    None,
    Running,
    Done,
    /// It was broken off, by a fault or the end of the server.
    Failed,
}

/// How far filling an account is, in steps.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(super) struct DemoFillView {
    pub(super) status: FillStatus,
    pub(super) done: u64,
    pub(super) total: u64,
}

impl Default for Fills {
    fn default() -> Self {
        Self { known: Arc::default(), turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }
}

/// How far filling an account is.
pub(super) fn progress(app: &App, seller: SellerId) -> Result<DemoFillView, ApiError> {
    let running = app.fills.known.get(&seller).map(|bar| bar.clone());
    if let Some(bar) = running {
        let (done, total) = (bar.position(), bar.length().unwrap_or_default());
        return Ok(DemoFillView { status: FillStatus::Running, done, total });
    }
    let status = match app.sellers.demo_fill(seller)? {
        None => FillStatus::None,
        Some(fill) if fill.ended_at.is_some() && !fill.failed => FillStatus::Done,
        Some(_) => FillStatus::Failed,
    };
    Ok(DemoFillView { status, done: 0, total: 0 })
}

pub(super) async fn state(app: Arc<App>, request: Request) -> ApiResult {
    Ok(Response::ok(&progress(&app, request.seller_id())?))
}

async fn begin(app: Arc<App>, request: Request) -> ApiResult {
    let person = request.person();
    if person.role != PersonRole::Owner {
        return Err(ApiError::forbidden(format!("{} may not fillDemo", person.role)));
    }
    let seller = request.seller_id();
    app.sellers.begin_fill(seller, act(&request, &person.email, "fillDemo")).await?;
    let bar = ProgressBar::hidden();
    app.fills.known.insert(seller, bar.clone());
    tokio::spawn(fill(Arc::clone(&app), Behalf::of(&app, &request), bar));
    match is_form(&request) {
        true => Ok(Response::see_other("/").unstored()),
        false => Ok(Response::accepted(&progress(&app, seller)?)),
    }
}

/// Fills an account, and takes note of how that ended, whatever happens on the way.
async fn fill(app: Arc<App>, by: Behalf, bar: ProgressBar) {
    let (seller, stop) = (by.seller, app.stopping());
    let (turns, story) = (Arc::clone(&app.fills.turns), carry_out(Arc::clone(&app), by, bar));
    let filling = tokio::spawn(async move {
        let _turn = turns.acquire().await;
        tokio::select! {
            ended = story => ended,
            () = stop.cancelled() => Err(anyhow::anyhow!("the server is stopping")),
        }
    });
    // A panic is the end of this story alone.
    let ended = filling.await.map_err(anyhow::Error::from).flatten();
    if let Err(error) = &ended {
        tracing::error!(seller = seller.0, %error, "an account was not filled to the end");
    }
    if let Err(error) = app.sellers.end_fill(seller, ended.is_err()).await {
        tracing::error!(seller = seller.0, %error, "the end of filling an account is not noted");
    }
    app.fills.known.remove(&seller);
}

async fn carry_out(app: Arc<App>, by: Behalf, bar: ProgressBar) -> anyhow::Result<()> {
    let carrier: Carrier = Arc::new(move |request: hyper::Request<Bytes>| {
        let by = by.clone();
        Box::pin(async move { INSIDE.carry(&by, request).await.into_parts() })
    });
    fill_account(Client::inside(app.public_url(), carrier), app.clock.now(), bar).await
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/api/v1/demo/fill", begin)
            .body_limit(FORM_LIMIT)
            .summary("Fill a demo account")
            .describe(
                "A year of contracts, usage, invoices and payments, by the same routes that are \
                 open to you, in the background: `demoFill` of GraphQL says how far it is. Once \
                 for an account, by its owner.",
            )
            .answer::<DemoFillView>(202, "It has begun.")
            .answer_empty(303, "The same, of a form.")
            .refuses(403, "Only an owner may.")
            .refuses(409, "It was filled before.")
            .refuses(422, "It is no demo account."),
    ]
}
