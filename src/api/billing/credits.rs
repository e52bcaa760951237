//! Stored credit of contracts: ledgers, balances, and granting it.

mod auto_topup;
mod body;
#[cfg(test)]
mod tests;
mod top_up;
mod view;

use std::sync::Arc;

use actors::domain::billing::credit::{CreditBalances, CreditEntry};
use actors::domain::ids::{ContractId, SellerId};
use actors::domain::platform::switches::Switch;
use actors::domain::time::Timestamp;
use actors::query::{self, Page, Paging};
use hyper::StatusCode;
use storage::{ReadError, Store};

pub use auto_topup::{AutoTopupBody, AutoTopupView};
pub use body::CreditGrantBody;
pub use top_up::top_up;
pub use view::{BalanceView, BalancesView, CreditEntryView, CreditsView};

use super::contracts::require_contract;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

/// The ledger of a contract. What has expired is forfeited first, so that it stands there.
pub async fn of_contract(app: Arc<App>, request: Request) -> ApiResult {
    require_credits(&request)?;
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let contract = require_contract(&app, &request)?;
    app.contracts.run_credit_expiry(seller, contract).await?;
    let now = request.now;
    let read = move |store: &Store| ledger(store, (seller, contract), now, paging);
    let (balances, entries) = app.blocking(read).await?;
    Ok(Response::ok(&CreditsView::new(balances.as_ref(), entries)))
}

/// The balances of a contract and a page of its entries, as of one moment: an invoice may draw
/// credit meanwhile.
fn ledger(
    store: &Store,
    (seller, contract): (SellerId, ContractId),
    now: Timestamp,
    paging: Paging,
) -> Result<(Option<CreditBalances>, Page<CreditEntry>), ReadError> {
    store.at_one_moment(|rows| {
        let balances = query::credit_balances(rows, seller, contract, now)?;
        Ok((balances, query::credit_entries(rows, seller, contract, paging)?))
    })
}

pub async fn of_seller(app: Arc<App>, request: Request) -> ApiResult {
    require_credits(&request)?;
    let (seller, now) = (request.seller_id(), request.now);
    let sums = app.blocking(move |store| query::seller_credit(store, seller, now)).await?;
    Ok(Response::ok(&BalancesView::from(sums)))
}

/// Without stored credits none of it is there.
fn require_credits(request: &Request) -> Result<(), ApiError> {
    match request.seller().switch(Switch::Credits) {
        true => Ok(()),
        false => Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, "not available")),
    }
}

pub fn routes() -> Vec<Route> {
    let mut all = auto_topup::routes();
    all.extend([
        Route::get("/contracts/{contractId}/credits", of_contract)
            .named("getContractCredits")
            .summary("Read the stored credit of a contract")
            .describe(
                "`balances` is complete on every page; it never counts what has expired. The \
                 entries are the ledger: they never change, and replaying them gives the \
                 balances. `limit` is of entries alone.",
            )
            .path_id("contractId")
            .paged("beforeId")
            .answer::<CreditsView>(200, "The balances, and the entries newest first.")
            .refuses(501, "Stored credits are off."),
        Route::get("/credits", of_seller)
            .named("listCredits")
            .summary("Read the stored credit of all contracts")
            .answer::<BalancesView>(200, "A row for each currency and type.")
            .refuses(501, "Stored credits are off."),
        Route::post("/contracts/{contractId}/credits/top-up", top_up)
            .named("grantCredit")
            .summary("Grant stored credit")
            .describe(
                "Makes a lot, which later invoices of the contract draw on. A repeated key \
                 answers the first grant, and is held against it field by field: neither the case \
                 of `currency` and `creditType` nor blanks around `reason` make a difference. A \
                 contract takes no grant while 10,000 lots of it are not used up.",
            )
            .path_id("contractId")
            .idempotent()
            .body::<CreditGrantBody>()
            .answer::<CreditEntryView>(201, "The grant.")
            .answer::<CreditEntryView>(200, "A replay: the first grant.")
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(422, "The contract is closed or full, or the key was used otherwise.")
            .refuses(501, "Stored credits are off."),
    ]);
    all
}
