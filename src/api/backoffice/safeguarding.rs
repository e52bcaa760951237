//! Safeguarding accounts in the operator's hands: where a seller's top-ups are paid to (decisions
//! 13).

use std::sync::Arc;

use actors::domain::ids::{SellerId, WalletId};
use actors::domain::money::Currency;
use actors::domain::payments::safeguarding::{
    SafeguardingAccount, SafeguardingRefusal, SafeguardingRequest, safeguarding_currency,
};
use actors::domain::payments::wallet::Wallet;
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::query;
use actors::tables::ids;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::api::payments::topups::BankAccountView;
use crate::app::App;
use crate::gate::Route;
use crate::http::{Answer, Call, Problem, Reply};

/// What is set of a safeguarding account.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SafeguardingBody {
    #[schema(required, max_length = 128)]
    account_name: Option<String>,
    #[schema(required)]
    iban: Option<String>,
    bic: Option<String>,
    #[schema(max_length = 128)]
    bank_name: Option<String>,
    /// `active` (default) or `closed`.
    status: Option<String>,
}

/// A safeguarding account.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SafeguardingView {
    seller_account_id: u64,
    #[schema(value_type = String)]
    currency: Currency,
    /// `active`, or `closed`.
    status: &'static str,
    /// `demo` or `live`: that of the seller when it was opened.
    mode: &'static str,
    bank_account: BankAccountView,
    #[schema(value_type = String, format = DateTime)]
    opened_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

/// `PUT /sellers/{sellerAccountId}/safeguarding/{currency}`.
pub async fn put(app: Arc<App>, call: Call) -> Answer {
    let id = call.id("sellerAccountId", SellerId)?;
    let seller = app.directory.seller(id)?.ok_or_else(Problem::missing)?;
    let currency = safeguarding_currency(&call.text_param("currency")?).map_err(refused)?;
    let body: SafeguardingBody = call.json()?;
    let request = SafeguardingRequest {
        account_name: body.account_name.as_deref(),
        iban: body.iban.as_deref(),
        bic: body.bic.as_deref(),
        bank_name: body.bank_name.as_deref(),
        status: body.status.as_deref(),
    };
    let terms = request.parse().map_err(refused)?;
    provide_main_wallet(&app, id, currency, seller.seller.mode, call.now).await?;
    let account = app.sellers.safeguard(id, currency, terms).await?;
    Ok(Reply::ok(&SafeguardingView::from(&account)))
}

/// What is topped up needs a main wallet to go to; it is there before the account is.
async fn provide_main_wallet(
    app: &App,
    seller: SellerId,
    currency: Currency,
    mode: Mode,
    now: Timestamp,
) -> Result<(), Problem> {
    let wallets = query::main_wallets(&app.store, seller)?;
    if wallets.iter().any(|wallet| wallet.currency == currency && wallet.mode() == mode) {
        return Ok(());
    }
    let id = WalletId(app.store.next_id(ids::WALLET));
    let wallet = Wallet::empty(id, seller, None, currency).made(mode, now);
    Ok(app.payees.open_own(wallet).await?)
}

fn refused(refusal: SafeguardingRefusal) -> Problem {
    Refusal::from(refusal).into()
}

impl From<&SafeguardingAccount> for SafeguardingView {
    fn from(account: &SafeguardingAccount) -> Self {
        Self {
            seller_account_id: account.seller.0,
            currency: account.currency,
            status: account.status.name(),
            mode: account.mode.name(),
            bank_account: BankAccountView::from(&account.bank),
            opened_at: account.opened_at,
            updated_at: account.updated_at,
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::put("/sellers/{sellerAccountId}/safeguarding/{currency}", put)
            .summary("Set a seller's safeguarding account")
            .describe(
                "Where top-ups of this currency are paid to. The seller gets a main wallet of the \
             currency, if it has none. Invoices that were made before keep their account.",
            )
            .path_id("sellerAccountId")
            .path_text("currency", "`EUR`, `GBP` or `USD`.")
            .body::<SafeguardingBody>()
            .answer::<SafeguardingView>(200, "The account as it is now.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "No such seller."),
    ]
}
