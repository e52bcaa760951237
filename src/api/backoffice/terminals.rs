//! Terminals in the operator's hands.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use actors::domain::ids::{SellerId, TerminalId};
use actors::domain::money::Currency;
use actors::domain::payments::terminal::{
    BaseUrl, Connector, NewTerminal, Rail, Terminal, TerminalRefusal, TerminalStatus,
    terminal_countries, terminal_currencies, terminal_methods, terminal_name, terminal_secret_key,
};
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::Refusal;
use actors::tables::TERMINALS;
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use storage::Scan;
use utoipa::ToSchema;

use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What is said of a terminal.
#[derive(Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalBody {
    #[schema(required, min_length = 1, max_length = 128)]
    name: Option<String>,
    /// `card` or `apm`.
    #[schema(required)]
    rail: Option<String>,
    /// Methods of the rail, at least one.
    #[serde(default)]
    #[schema(required)]
    methods: Vec<String>,
    /// At least one of `EUR`, `USD`, `GBP`, `DKK`, `NOK`, `SEK`.
    #[serde(default)]
    #[schema(required)]
    currencies: Vec<String>,
    /// The buyers' countries, ISO 3166-1 alpha-2; empty or left out is all.
    #[serde(default)]
    countries: Vec<String>,
    /// `demo` or `live`.
    #[schema(required)]
    mode: Option<String>,
    /// `simulator`, which is for `demo`, or `stripe`, which is for `live`.
    #[schema(required)]
    connector: Option<String>,
    /// Where the processor listens, with `stripe`: `https`, or `http` on a loopback address.
    #[schema(max_length = 2048)]
    base_url: Option<String>,
    /// The processor's secret key, with `stripe`. It is kept sealed and never shown. Left out,
    /// the one that was given for this `baseUrl` stays.
    #[schema(value_type = Option<String>, max_length = 255)]
    secret_key: Option<SecretString>,
    /// `active` (default) or `disabled`.
    status: Option<String>,
    /// Whether the processor takes what is held in several parts; `false` unless it is said. Then a
    /// capture of a part has to be the last one, `final`.
    #[serde(default)]
    multicapture: bool,
}

/// A terminal as it is answered.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TerminalView {
    id: u64,
    seller_account_id: u64,
    name: String,
    rail: Rail,
    methods: Vec<String>,
    currencies: Vec<Currency>,
    /// Empty is all.
    countries: Vec<String>,
    mode: Mode,
    connector: Connector,
    base_url: Option<String>,
    status: TerminalStatus,
    multicapture: bool,
}

/// The terminals of a seller.
#[derive(Serialize, ToSchema)]
pub struct TerminalList {
    terminals: Vec<TerminalView>,
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let seller = seller(&app, &request)?;
    let found = app.store.scan(TERMINALS, Scan::prefix(&(seller,)));
    let terminals = found
        .map(|row| row.map(|(_, terminal)| TerminalView::from(&terminal)))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Response::ok(&TerminalList { terminals }))
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let seller = seller(&app, &request)?;
    let new = request.json::<TerminalBody>()?.parse().map_err(Refusal::from)?;
    let made = app.sellers.save_terminal(seller, None, new).await?;
    Ok(Response::created(&TerminalView::from(&made)))
}

pub async fn put(app: Arc<App>, request: Request) -> ApiResult {
    let seller = seller(&app, &request)?;
    let id = request.id("terminalId", TerminalId)?;
    app.store.get(TERMINALS, &(seller, id))?.ok_or_else(ApiError::missing)?;
    let new = request.json::<TerminalBody>()?.parse().map_err(Refusal::from)?;
    let saved = app.sellers.save_terminal(seller, Some(id), new).await?;
    Ok(Response::ok(&TerminalView::from(&saved)))
}

fn seller(app: &App, request: &Request) -> Result<SellerId, ApiError> {
    let id = request.id("sellerAccountId", SellerId)?;
    app.directory.seller(id)?.map(|_| id).ok_or_else(ApiError::missing)
}

impl TerminalBody {
    /// The first field at fault is the answer.
    fn parse(self) -> Result<NewTerminal, TerminalRefusal> {
        self.fields()?.checked()
    }

    /// Its fields, each by itself.
    pub(crate) fn fields(self) -> Result<NewTerminal, TerminalRefusal> {
        let name = terminal_name(&self.name.ok_or(TerminalRefusal::Required("name"))?)?;
        let rail = self.rail.ok_or(TerminalRefusal::Required("rail"))?;
        let rail = Rail::parse(&rail).ok_or(TerminalRefusal::Rail)?;
        let methods = terminal_methods(rail, &self.methods)?;
        let currencies = terminal_currencies(&self.currencies)?;
        let countries = terminal_countries(&self.countries)?;
        let mode = self.mode.ok_or(TerminalRefusal::Required("mode"))?;
        let mode = Mode::parse(&mode).ok_or(TerminalRefusal::Mode)?;
        let connector = self.connector.ok_or(TerminalRefusal::Required("connector"))?;
        let connector = Connector::parse(&connector).ok_or(TerminalRefusal::Connector)?;
        let base_url = self.base_url.as_deref().map(BaseUrl::parse).transpose()?;
        let secret_key = self.secret_key.map(terminal_secret_key).transpose()?;
        let status = match self.status.as_deref() {
            None => TerminalStatus::Active,
            Some(name) => TerminalStatus::parse(name).ok_or(TerminalRefusal::Status)?,
        };
        Ok(NewTerminal {
            name,
            rail,
            methods,
            currencies,
            countries,
            mode,
            connector,
            base_url,
            secret_key,
            status,
            multicapture: self.multicapture,
        })
    }
}

impl From<&Terminal> for TerminalView {
    fn from(terminal: &Terminal) -> Self {
        Self {
            id: terminal.id.0,
            seller_account_id: terminal.seller.0,
            name: terminal.name.clone(),
            rail: terminal.rail,
            methods: terminal.methods.clone(),
            currencies: terminal.currencies.clone(),
            countries: terminal.countries.iter().map(ToString::to_string).collect(),
            mode: terminal.mode,
            connector: terminal.connector,
            base_url: terminal.access.as_ref().map(|access| access.base_url.to_string()),
            status: terminal.status,
            multicapture: terminal.multicapture,
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/sellers/{sellerAccountId}/terminals", list)
            .named("listTerminals")
            .summary("List the terminals of a seller")
            .path_id("sellerAccountId")
            .answer::<TerminalList>(200, "All of them, oldest first."),
        Route::post("/sellers/{sellerAccountId}/terminals", create)
            .named("createTerminal")
            .summary("Make a terminal")
            .describe(
                "A payment goes through the oldest active terminal of the account's mode that \
                 takes its method, currency and country; without one it fails with 1003.",
            )
            .path_id("sellerAccountId")
            .body::<TerminalBody>()
            .answer::<TerminalView>(201, "The terminal, without its secret key.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(409, "The seller has as many terminals as it may have."),
        Route::put("/sellers/{sellerAccountId}/terminals/{terminalId}", put)
            .named("replaceTerminal")
            .summary("Replace a terminal")
            .describe(
                "As making one. Payments that went through it before are captured, refunded and \
                 cancelled as it says from now on, so a `secretKey` has to be of the same account. \
                 What the processor does not know any more is no payment that failed: it is asked \
                 about for a day, and then waits for a reconciliation by hand.",
            )
            .path_id("sellerAccountId")
            .path_id("terminalId")
            .body::<TerminalBody>()
            .answer::<TerminalView>(200, "The terminal as it is now.")
            .refuses(
                400,
                "A field is missing or wrong, or the `baseUrl` is another one and there is no \
             `secretKey` for it.",
            )
            .refuses(
                409,
                "The `baseUrl` is another one, and payments are open at the one it had, or wait \
                 there for their money to be available: disable the terminal, and make another.",
            ),
    ]
}
