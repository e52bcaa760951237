//! Top-up invoices: how a seller brings money of its own into its main wallet.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use actors::domain::ids::TopupId;
use actors::domain::money::Currency;
use actors::domain::payments::safeguarding::BankDetails;
use actors::domain::payments::topup::{
    NewTopup, TopupInvoice, TopupRefusal, TopupStatus, topup_amount,
};
use actors::domain::platform::seller::Mode;
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::kernel::Once;
use actors::query;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::idempotency_key;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "topup-invoices";

/// A top-up to be asked for.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopupBody {
    /// ISO 4217; you need an active safeguarding account and a main wallet of it.
    #[schema(required)]
    currency: Option<String>,
    /// Minor units, above 0.
    #[schema(required, minimum = 1)]
    amount_minor: Option<i64>,
    /// RFC 3339, from the issue date to the end of the invoice less your days of grace; left out,
    /// the invoice is due at once.
    #[schema(format = DateTime)]
    due_at: Option<String>,
}

/// A top-up invoice.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopupView {
    id: u64,
    /// Of the one series of all your invoices.
    invoice_number: String,
    /// `issued`, `partially_paid`, `paid`, `overdue` when the days of grace after `dueAt` are
    /// over, or `expired`. Money that comes later is credited all the same.
    status: TopupStatus,
    currency: Currency,
    amount_minor: i64,
    /// What has come so far; may be more than was asked for.
    received_minor: i64,
    issued_at: Timestamp,
    due_at: Timestamp,
    /// 30 days after issue.
    expires_at: Timestamp,
    /// To be written into the transfer: a creditor reference (ISO 11649).
    payment_reference: String,
    bank_account: BankAccountView,
    mode: Mode,
}

/// Where the money is to be sent.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BankAccountView {
    account_name: String,
    iban: String,
    bic: Option<String>,
    bank_name: Option<String>,
}

pub type TopupList = List<TopupView>;

impl Listed for TopupView {
    const LIST: &'static str = "TopupList";
    const ITEMS: &'static str = "topupInvoices";
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: TopupBody = request.json()?;
    let claim = idempotency_key::claim(&app, &request, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return replay(&app, &request, TopupId(made));
    }
    let new = body.parse().map_err(Refusal::from)?;
    require_main_wallet(&app, &request, new.amount.currency)?;
    match app.sellers.issue_topup(request.seller_id(), new, claim.clone()).await? {
        Once::Made(topup) => Ok(Response::created(&TopupView::new(&topup, request.now))),
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            replay(&app, &request, TopupId(made))
        }
    }
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let found = app.blocking(move |store| query::topups(store, seller, paging)).await?;
    Ok(Response::ok(&TopupList::of(found, |topup| TopupView::new(&topup, request.now))))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("topupInvoiceId", TopupId)?;
    let found = query::topup(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)?;
    Ok(Response::ok(&TopupView::new(&found, request.now)))
}

/// That the seller has a main wallet of this currency and of its present mode; none is ever taken
/// away.
fn require_main_wallet(app: &App, request: &Request, currency: Currency) -> Result<(), ApiError> {
    let mode = request.seller().seller.mode;
    let wallets = query::main_wallets(&app.store, request.seller_id())?;
    let found = wallets.iter().any(|wallet| wallet.currency == currency && wallet.mode() == mode);
    if found { Ok(()) } else { Err(Refusal::from(TopupRefusal::NoMainWallet(currency)).into()) }
}

fn replay(app: &App, request: &Request, id: TopupId) -> ApiResult {
    let topup = query::topup(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)?;
    Ok(Response::replayed(&TopupView::new(&topup, request.now)))
}

impl TopupBody {
    /// The first field at fault is the answer.
    fn parse(&self) -> Result<NewTopup, TopupRefusal> {
        let code = self.currency.as_deref().map(str::trim).filter(|code| !code.is_empty());
        let code = code.ok_or(TopupRefusal::Required("currency"))?;
        let currency = Currency::parse(code).ok_or(TopupRefusal::UnknownCurrency)?;
        let minor = self.amount_minor.ok_or(TopupRefusal::Required("amountMinor"))?;
        let amount = topup_amount(minor, currency)?;
        let due_at = self.due_at.as_deref();
        let due_at = due_at.map(|text| Timestamp::parse(text).ok_or(TopupRefusal::DueAt));
        Ok(NewTopup { amount, due_at: due_at.transpose()? })
    }
}

impl TopupView {
    fn new(topup: &TopupInvoice, now: Timestamp) -> Self {
        Self {
            id: topup.id.0,
            invoice_number: topup.number.to_string(),
            status: topup.status(now),
            currency: topup.amount.currency,
            amount_minor: topup.amount.minor,
            received_minor: topup.received_minor,
            issued_at: topup.issued_at,
            due_at: topup.due_at,
            expires_at: topup.expires_at,
            payment_reference: topup.payment_reference(),
            bank_account: BankAccountView::from(&topup.bank),
            mode: topup.mode,
        }
    }
}

impl From<&BankDetails> for BankAccountView {
    fn from(bank: &BankDetails) -> Self {
        Self {
            account_name: bank.account_name.clone(),
            iban: bank.iban.clone(),
            bic: bank.bic.clone(),
            bank_name: bank.bank_name.clone(),
        }
    }
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/topup-invoices", create)
            .named("createTopUpInvoice")
            .summary("Ask for a top-up invoice")
            .describe(
                "An invoice over money of your own, to be sent to your safeguarding account; what \
                 comes is credited to your main wallet, also when it is more than was asked for. \
                 Its number is of the one series of all your invoices. It is `overdue` when your \
                 days of grace (7 unless agreed otherwise) after `dueAt` are over, and `expired` \
                 30 days after issue.",
            )
            .idempotent()
            .body::<TopupBody>()
            .answer::<TopupView>(201, "The invoice.")
            .answer::<TopupView>(200, "A replay: the invoice as it is now.")
            .refuses(
                400,
                "A field is missing or wrong, or you have no active safeguarding account or no \
                 main wallet of the currency.",
            )
            .refuses(409, "The key was used for a different request."),
        Route::get("/topup-invoices", list)
            .named("listTopUpInvoices")
            .summary("List top-up invoices")
            .paged("beforeId")
            .answer::<TopupList>(200, "Newest first."),
        Route::get("/topup-invoices/{topupInvoiceId}", get)
            .named("getTopUpInvoice")
            .summary("Read a top-up invoice")
            .path_id("topupInvoiceId")
            .answer::<TopupView>(200, "The invoice as it is now."),
    ]
}
