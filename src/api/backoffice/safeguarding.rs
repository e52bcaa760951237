//! Safeguarding accounts in the operator's hands: where a seller's top-ups are paid to.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use actors::domain::ids::{SellerId, WalletId};
use actors::domain::money::Currency;
use actors::domain::payments::bank::{self, fields::AccountNumber};
use actors::domain::payments::safeguarding::{
    BankDetails, SafeguardingAccount, SafeguardingRefusal, SafeguardingStatus, SafeguardingTerms,
    safeguarding_currency,
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
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// What is set of a safeguarding account.
#[derive(Default, Deserialize, ToSchema)]
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
    currency: Currency,
    status: SafeguardingStatus,
    /// `demo` or `live`: that of the seller when it was opened.
    mode: Mode,
    bank_account: BankAccountView,
    opened_at: Timestamp,
    updated_at: Timestamp,
}

pub async fn put(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("sellerAccountId", SellerId)?;
    let seller = app.directory.seller(id)?.ok_or_else(ApiError::missing)?;
    let currency =
        safeguarding_currency(&request.text_param("currency")?).map_err(Refusal::from)?;
    let body: SafeguardingBody = request.json()?;
    let terms = body.parse().map_err(Refusal::from)?;
    provide_main_wallet(&app, id, currency, seller.seller.mode, request.now).await?;
    let account = app.sellers.safeguard(id, currency, terms).await?;
    Ok(Response::ok(&SafeguardingView::from(&account)))
}

/// What is topped up needs a main wallet to go to; it is there before the account is.
async fn provide_main_wallet(
    app: &App,
    seller: SellerId,
    currency: Currency,
    mode: Mode,
    now: Timestamp,
) -> Result<(), ApiError> {
    let wallets = query::main_wallets(&app.store, seller)?;
    if wallets.iter().any(|wallet| wallet.currency == currency && wallet.mode() == mode) {
        return Ok(());
    }
    let id = WalletId(app.store.next_id_in(ids::WALLET, seller.shard()));
    let wallet = Wallet::empty(id, seller, None, currency).made(mode, now);
    Ok(app.payees.ensure_main_wallet(wallet).await?)
}

impl SafeguardingBody {
    /// The first field at fault is the answer.
    fn parse(&self) -> Result<SafeguardingTerms, SafeguardingRefusal> {
        let iban = AccountNumber::iban(self.iban.as_deref())?.text;
        let name = bank::fields::name("accountName", self.account_name.as_deref())?;
        let bank_name = bank::fields::name("bankName", self.bank_name.as_deref())?;
        let bic = bank::fields::bic(self.bic.as_deref(), None)?;
        let status = match self.status.as_deref() {
            None => SafeguardingStatus::Active,
            Some(name) => SafeguardingStatus::parse(name).ok_or(SafeguardingRefusal::Status)?,
        };
        let name = name.filter(|name| !name.chars().any(char::is_control));
        let account_name = name.ok_or(SafeguardingRefusal::Required("accountName"))?;
        Ok(SafeguardingTerms { bank: BankDetails { account_name, iban, bic, bank_name }, status })
    }
}

impl From<&SafeguardingAccount> for SafeguardingView {
    fn from(account: &SafeguardingAccount) -> Self {
        Self {
            seller_account_id: account.seller.0,
            currency: account.currency,
            status: account.status,
            mode: account.mode,
            bank_account: BankAccountView::from(&account.bank),
            opened_at: account.opened_at,
            updated_at: account.updated_at,
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::put("/sellers/{sellerAccountId}/safeguarding/{currency}", put)
            .named("setSafeguardingAccount")
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
