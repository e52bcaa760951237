//! Trying the product without an account: `POST /sandbox/accounts`.

mod view;

use std::sync::Arc;

use actors::domain::platform::limits::AddressKind;
use hyper::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;

pub use view::MintedView;

use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply, limits};

/// There is nothing to say of a sandbox account.
#[derive(Deserialize, ToSchema)]
pub struct SandboxBody {}

pub async fn mint(app: Arc<App>, call: Call) -> Answer {
    if !app.settings.demo {
        let text = "sandbox accounts are not given out here";
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text));
    }
    limits::address(&app, AddressKind::SandboxMint, call.peer, call.now)?;
    let SandboxBody {} = call.json()?;
    let minted = app.sellers.mint_sandbox().await?;
    if let Some(wallet) = &minted.wallet {
        app.payees.ensure_main_wallet(wallet.clone()).await?;
    }
    for payee in &minted.payees {
        let own = minted.payee_wallets.iter().filter(|wallet| wallet.payee == Some(payee.id));
        let wallets = own.cloned().collect();
        app.payees.ensure_payee(payee.clone(), wallets).await?;
    }
    Ok(Reply::created(&MintedView::from(&minted)).unstored())
}
