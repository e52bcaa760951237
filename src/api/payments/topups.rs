//! Top-up invoices: how a seller brings money of its own into its main wallet (payments 2.5,
//! decisions 13).

use std::sync::Arc;

use actors::domain::ids::TopupId;
use actors::domain::money::Currency;
use actors::domain::payments::safeguarding::BankDetails;
use actors::domain::payments::topup::{TopupInvoice, TopupRefusal, TopupRequest};
use actors::domain::refusal::Refusal;
use actors::domain::time::Timestamp;
use actors::query;
use actors::seller::Spent;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::key;
use crate::api::billing::contracts::apart;
use crate::api::page;
use crate::app::App;
use crate::gate::Route;
use crate::http::{Answer, Call, Problem, Reply};

const ENDPOINT: &str = "topup-invoices";

/// A top-up to be asked for.
#[derive(Deserialize, ToSchema)]
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
    status: &'static str,
    #[schema(value_type = String)]
    currency: Currency,
    amount_minor: i64,
    /// What has come so far; may be more than was asked for.
    received_minor: i64,
    #[schema(value_type = String, format = DateTime)]
    issued_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    due_at: Timestamp,
    /// 30 days after issue.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Timestamp,
    /// To be written into the transfer: a creditor reference (ISO 11649).
    payment_reference: String,
    bank_account: BankAccountView,
    /// `demo` or `live`.
    mode: &'static str,
}

/// Where the money is to be sent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BankAccountView {
    account_name: String,
    iban: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bic: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bank_name: Option<String>,
}

/// A page of top-up invoices.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopupList {
    topup_invoices: Vec<TopupView>,
    has_more: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before_id: Option<u64>,
}

/// `POST /topup-invoices`.
pub async fn create(app: Arc<App>, call: Call) -> Answer {
    let body: TopupBody = call.json()?;
    let spend = key::spend(&call, ENDPOINT, &[], 0);
    if let Some(made) = key::before(&app, &call, &spend).await? {
        return replay(&app, &call, TopupId(made));
    }
    let request = TopupRequest {
        currency: body.currency.as_deref(),
        amount_minor: body.amount_minor,
        due_at: body.due_at.as_deref(),
    };
    let new = request.parse().map_err(refused)?;
    demand_main_wallet(&app, &call, new.amount.currency)?;
    match app.sellers.issue_topup(call.seller_id(), new, spend.clone()).await? {
        Spent::Made(topup) => Ok(Reply::created(&TopupView::new(&topup, call.now))),
        Spent::Before => {
            let made = key::before(&app, &call, &spend).await?.ok_or_else(Problem::unanswered)?;
            replay(&app, &call, TopupId(made))
        }
    }
}

/// `GET /topup-invoices`.
pub async fn list(app: Arc<App>, call: Call) -> Answer {
    let (paging, seller) = (page(call.paging("beforeId")?), call.seller_id());
    let found = apart(&app, move |store| query::topups(store, seller, paging)).await?;
    let view = |topup: &TopupInvoice| TopupView::new(topup, call.now);
    Ok(Reply::ok(&TopupList {
        topup_invoices: found.items.iter().map(view).collect(),
        has_more: found.next.is_some(),
        next_cursor: found.next,
        next_before_id: found.next,
    }))
}

/// `GET /topup-invoices/{topupInvoiceId}`.
pub async fn get(app: Arc<App>, call: Call) -> Answer {
    let id = call.id("topupInvoiceId", TopupId)?;
    let found = query::topup(&app.store, call.seller_id(), id)?.ok_or_else(Problem::missing)?;
    Ok(Reply::ok(&TopupView::new(&found, call.now)))
}

/// That the seller has a main wallet of this currency and of its present mode; none is ever taken
/// away.
fn demand_main_wallet(app: &App, call: &Call, currency: Currency) -> Result<(), Problem> {
    let mode = call.seller().seller.mode;
    let wallets = query::main_wallets(&app.store, call.seller_id())?;
    let found = wallets.iter().any(|wallet| wallet.currency == currency && wallet.mode() == mode);
    if found { Ok(()) } else { Err(refused(TopupRefusal::NoMainWallet(currency))) }
}

fn replay(app: &App, call: &Call, id: TopupId) -> Answer {
    let topup = query::topup(&app.store, call.seller_id(), id)?.ok_or_else(Problem::missing)?;
    Ok(Reply::replayed(&TopupView::new(&topup, call.now)))
}

fn refused(refusal: TopupRefusal) -> Problem {
    Refusal::from(refusal).into()
}

impl TopupView {
    fn new(topup: &TopupInvoice, now: Timestamp) -> Self {
        Self {
            id: topup.id.0,
            invoice_number: topup.number.to_string(),
            status: topup.status(now).name(),
            currency: topup.amount.currency,
            amount_minor: topup.amount.minor,
            received_minor: topup.received_minor,
            issued_at: topup.issued_at,
            due_at: topup.due_at,
            expires_at: topup.expires_at,
            payment_reference: topup.payment_reference(),
            bank_account: BankAccountView::from(&topup.bank),
            mode: topup.mode.name(),
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
            .summary("List top-up invoices")
            .paged("beforeId")
            .answer::<TopupList>(200, "Newest first."),
        Route::get("/topup-invoices/{topupInvoiceId}", get)
            .summary("Read a top-up invoice")
            .path_id("topupInvoiceId")
            .answer::<TopupView>(200, "The invoice as it is now."),
    ]
}
