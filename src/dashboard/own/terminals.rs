//! Terminals, and the seller's own bank accounts.

use std::sync::Arc;

use actors::domain::ids::TerminalId;
use actors::domain::refusal::Refusal;
use actors::tables::TERMINALS;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::api::backoffice::terminals::{TerminalBody, TerminalView};
use crate::api::payments::idempotency_key::{self, Done};
use crate::api::payments::payout_methods::{MethodBody, MethodView};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "own-terminals";

/// Which terminal is replaced; a new one is made without it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Which {
    terminal_id: Option<TerminalId>,
}

/// What a seller says of a terminal: how its processor is reached, and whether it is in use, is the
/// operator's to say.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body, which is that of a terminal beside an id")]
struct SavedTerminalBody {
    /// The one that is replaced; a new one is made without it.
    terminal_id: Option<u64>,
    name: String,
    rail: String,
    methods: Vec<String>,
    currencies: Vec<String>,
    countries: Option<Vec<String>>,
    mode: String,
    /// `simulator`; `stripe` for a terminal that the operator has made for it.
    connector: String,
    multicapture: Option<bool>,
}

async fn save(app: Arc<App>, request: Request) -> ApiResult {
    let Which { terminal_id } = request.json()?;
    let new = request.json::<TerminalBody>()?.fields().map_err(Refusal::from)?;
    let seller = request.seller_id();
    let save = |claim| app.sellers.save_own_terminal(seller, terminal_id, new, claim);
    let before = match idempotency_key::once(&app, &request, ENDPOINT, save).await? {
        Done::Now(saved) => return Ok(Response::ok(&TerminalView::from(&saved))),
        Done::Before(terminal) => app.store.get(TERMINALS, &(seller, TerminalId(terminal)))?,
    };
    Ok(Response::replayed(&TerminalView::from(&before.ok_or_else(ApiError::missing)?)))
}

async fn save_method(app: Arc<App>, request: Request) -> ApiResult {
    let account = request.json::<MethodBody>()?.parse().map_err(Refusal::from)?;
    let saved = app.payees.save_own_payout_method(request.seller_id(), account).await?;
    Ok(Response::ok(&MethodView::from(&saved)))
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/terminals", save)
            .idempotent()
            .summary("Make a terminal, or replace one")
            .body::<SavedTerminalBody>()
            .answer::<TerminalView>(200, "The terminal, without its secret key."),
        Route::post("/payout-methods", save_method)
            .summary("Save a bank account of the seller's own")
            .body::<MethodBody>()
            .answer::<MethodView>(200, "The payout method."),
    ]
}
