//! Trying the product without an account: `POST /sandbox/accounts`.

mod view;

use std::net::IpAddr;
use std::sync::Arc;

use actors::domain::platform::limits::AddressKind;
use actors::domain::time::Timestamp;
use actors::seller::Minted;
use serde::Deserialize;
use utoipa::ToSchema;

pub use view::MintedView;

use crate::app::App;
use crate::gate::policy::FORM_LIMIT;
use crate::gate::{Request, Route, limits};
use crate::http::{ApiError, ApiResult, Response};

/// Whether accounts are given out is a setting: a client that asks again soon asks in vain.
const NOT_GIVEN_OUT_SECONDS: u32 = 24 * 3_600;

/// There is nothing to say of a sandbox account.
#[derive(Deserialize, ToSchema)]
pub struct SandboxBody {}

pub async fn mint(app: Arc<App>, request: Request) -> ApiResult {
    let SandboxBody {} = request.json()?;
    let minted = minted(&app, request.peer).await?;
    Ok(Response::created(&MintedView::from(&minted)).unstored())
}

/// A new account for somebody at `client`.
pub(crate) async fn mint_account(
    app: &App,
    client: IpAddr,
    now: Timestamp,
) -> Result<Minted, ApiError> {
    admit(app, client, now)?;
    minted(app, client).await
}

/// Whether accounts are given out, and so many to a client.
fn admit(app: &App, client: IpAddr, now: Timestamp) -> Result<(), ApiError> {
    if !app.settings.demo {
        let text = "sandbox accounts are not given out here";
        return Err(ApiError::unavailable(text, NOT_GIVEN_OUT_SECONDS));
    }
    limits::address(app, AddressKind::SandboxMint, client, now)
}

async fn minted(app: &App, client: IpAddr) -> Result<Minted, ApiError> {
    let minted = app.sellers.mint_sandbox(client).await?;
    if let Some(wallet) = &minted.wallet {
        app.payees.ensure_main_wallet(wallet.clone()).await?;
    }
    for payee in &minted.payees {
        let own = minted.payee_wallets.iter().filter(|wallet| wallet.payee == Some(payee.id));
        let wallets = own.cloned().collect();
        app.payees.ensure_payee(payee.clone(), wallets).await?;
    }
    Ok(minted)
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/sandbox/accounts", mint)
            .named("createSandboxAccount")
            .open()
            .summary("Mint a sandbox account")
            .describe(
                "A demo account for 14 days, with customers, payees, wallets, terminals and a \
                 split rule to try things out. The key and the password are shown once. Never \
                 enter real personal or bank details. Only a server started with `--demo` gives \
                 accounts out, and only so many an hour to one client address.",
            )
            .body_optional::<SandboxBody>()
            .body_limit(FORM_LIMIT)
            .late_body(|app, request| admit(app, request.peer, request.now))
            .answer::<MintedView<'_>>(201, "The account.")
            .refuses(429, "Too many accounts for this client address; see `Retry-After`.")
            .refuses(503, "No sandbox accounts are given out here, or the server is busy."),
    ]
}
