//! Work behind the API that failed too often.

use std::sync::Arc;

use actors::background::Parked;
use actors::domain::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiResult, Response, blocking};

/// How many are shown of each queue.
const SHOWN: usize = 1_000;

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParkedView {
    /// `messages`, `payment timers`, `provider calls`, `payee timers` or `mails`.
    queue: &'static str,
    seller_account_id: u64,
    /// `contract`, `payment` or `payee`.
    object: &'static str,
    object_id: u64,
    /// What is to be done.
    work: &'static str,
    /// How much waits for this object, counted up to 1,000.
    waiting: usize,
    /// Failures in a row.
    failures: u32,
    /// Why it failed the last time.
    reason: String,
    /// When it failed first.
    since: Timestamp,
}

#[derive(Serialize, ToSchema)]
pub struct ParkedList {
    parked: Vec<ParkedView>,
}

#[derive(Serialize, ToSchema)]
pub struct RetriedView {
    /// How much is tried again.
    retried: usize,
}

pub async fn list(app: Arc<App>, _: Request) -> ApiResult {
    let background = app.background.clone();
    let parked = blocking(move || background.parked(SHOWN)).await?;
    let parked = parked.into_iter().map(ParkedView::from).collect();
    Ok(Response::ok(&ParkedList { parked }))
}

pub async fn retry(app: Arc<App>, _: Request) -> ApiResult {
    Ok(Response::ok(&RetriedView { retried: app.background.retry_parked() }))
}

impl From<Parked> for ParkedView {
    fn from(parked: Parked) -> Self {
        let Parked { queue, seller, object, object_id, work, waiting, failures, reason, since } =
            parked;
        let seller_account_id = seller.0;
        Self { queue, seller_account_id, object, object_id, work, waiting, failures, reason, since }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/parked", list)
            .named("listParkedWork")
            .summary("List work that failed too often")
            .describe(
                "Messages between objects and timers that were refused many times in a row: at \
                 most 1,000 of each queue, the oldest trouble first. Nothing of it is lost: it is \
                 tried again every few minutes and after each start, and what comes later for the \
                 same object waits behind it.",
            )
            .answer::<ParkedList>(200, "What is parked."),
        Route::post("/parked/retry", retry)
            .named("retryParkedWork")
            .summary("Try parked work again now")
            .answer::<RetriedView>(200, "It is tried again."),
    ]
}
