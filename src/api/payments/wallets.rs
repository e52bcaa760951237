//! Wallets: what is held for payees and for the seller.

use std::collections::BTreeSet;
use std::sync::Arc;

use actors::domain::ids::{PayeeId, WalletId};
use actors::domain::money::Currency;
use actors::domain::payments::ledger::{Account, Cause, Entry, Posting};
use actors::domain::payments::wallet::{Wallet, WalletStatus, WalletType, wallet_currency};
use actors::domain::platform::seller::Mode;
use actors::domain::time::Timestamp;
use actors::kernel::Once;
use actors::query;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;
use storage::{ReadError, Store};
use utoipa::ToSchema;

use super::idempotency_key;
use crate::api::wire::{List, Listed};
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "wallets";

/// A wallet to be found or made.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WalletBody {
    /// `EUR`, `GBP` or `USD`.
    #[schema(required)]
    currency: Option<String>,
    #[schema(required)]
    payee_id: Option<u64>,
}

/// A wallet.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WalletView {
    id: u64,
    /// Absent on the seller's own.
    payee_id: Option<u64>,
    /// `main`, the seller's own, or `cashout_balance`, a payee's.
    #[serde(rename = "type")]
    wallet_type: WalletType,
    currency: Currency,
    /// `active`, or `closed` with its payee.
    status: WalletStatus,
    mode: Mode,
    /// Settled and not reserved; below 0 after refunds of what was paid out.
    available_balance_minor: i64,
    /// What a payout may take now.
    withdrawable_balance_minor: i64,
    /// Of payments that have not settled.
    pending_balance_minor: i64,
    /// In open payouts.
    reserved_balance_minor: i64,
    created_at: Option<Timestamp>,
}

/// What providing a wallet answers.
#[derive(Serialize, ToSchema)]
pub struct WalletsProvided {
    /// The one wallet.
    wallets: [WalletView; 1],
}

pub type WalletList = List<WalletView>;

impl Listed for WalletView {
    const LIST: &'static str = "WalletList";
    const ITEMS: &'static str = "wallets";
}

/// A movement of a wallet's money, in double entry.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WalletEntryView {
    id: u64,
    /// `share_credited`, `share_settled`, `share_taken_back`, `payout_reserved`,
    /// `payout_completed`, `payout_released`, `payout_returned` or `deposited`.
    cause: Cause,
    /// The payment whose share moved.
    payment_id: Option<String>,
    /// The payout that moved it.
    payout_id: Option<u64>,
    /// What a deposit came with.
    reference: Option<String>,
    /// They sum to zero.
    postings: Vec<PostingView>,
    created_at: Timestamp,
}

/// One side of a movement.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct PostingView {
    /// `pending`, `available` or `reserved` of the wallet; `clearing`, the side of the payments;
    /// `bank`, what was sent.
    account: Account,
    /// Above 0 what comes to the account.
    amount_minor: i64,
}

pub type EntryPage = List<WalletEntryView>;

impl Listed for WalletEntryView {
    const LIST: &'static str = "EntryPage";
    const ITEMS: &'static str = "entries";
}

pub async fn provide(app: Arc<App>, request: Request) -> ApiResult {
    let body: WalletBody = request.json()?;
    let claim = idempotency_key::claim(&app, &request, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return replay(&app, &request, WalletId(made));
    }
    let currency = currency_of(body.currency.as_deref()).map_err(ApiError::invalid)?;
    let payee = body.payee_id.ok_or_else(|| ApiError::invalid("payeeId is required"))?;
    let (seller, payee) = (request.seller_id(), PayeeId(payee));
    query::payee(&app.store, seller, payee)?.ok_or_else(ApiError::missing)?;
    let asked = app.payees.find_or_create_wallet(seller, payee, currency, claim.clone()).await;
    match asked? {
        Once::Made((wallet, made)) => {
            let provided = WalletsProvided { wallets: [view(&app, &request, &wallet)?] };
            Ok(if made { Response::created(&provided) } else { Response::ok(&provided) })
        }
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            replay(&app, &request, WalletId(made))
        }
    }
}

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let payee = request.query_id("payeeId", PayeeId)?;
    let mode = request.seller().seller.mode;
    let read = move |store: &Store| -> Result<_, ReadError> {
        let found = query::wallets(store, seller, payee, paging)?;
        let holders: BTreeSet<PayeeId> =
            found.items.iter().filter_map(|wallet| wallet.payee).collect();
        let known = query::payees_of(store, seller, holders)?.into_iter().flatten();
        let payable: BTreeSet<PayeeId> =
            known.filter(|payee| payee.is_payable(mode)).map(|payee| payee.id).collect();
        Ok((found, payable))
    };
    let (found, payable) = app.blocking(read).await?;
    let allowed = |wallet: &Wallet| {
        wallet.mode() == mode && wallet.payee.is_none_or(|payee| payable.contains(&payee))
    };
    Ok(Response::ok(&WalletList::of(found, |wallet| WalletView::new(&wallet, allowed(&wallet)))))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let wallet = load_wallet(&app, &request)?;
    Ok(Response::ok(&view(&app, &request, &wallet)?))
}

pub async fn entries(app: Arc<App>, request: Request) -> ApiResult {
    let wallet = load_wallet(&app, &request)?.id;
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let found = app.blocking(move |store| query::postings(store, seller, wallet, paging)).await?;
    Ok(Response::ok(&EntryPage::of(found, |entry| WalletEntryView::from(&entry))))
}

/// The currency of a request for a wallet, or what is wrong with it in words.
pub(super) fn currency_of(code: Option<&str>) -> Result<Currency, &'static str> {
    let code = code.filter(|code| !code.is_empty()).ok_or("currency is required")?;
    wallet_currency(code).ok_or("currency must be EUR, GBP or USD")
}

impl WalletView {
    /// `wallet`; `payable` says whether its holder is paid out at all.
    pub(super) fn new(wallet: &Wallet, payable: bool) -> Self {
        Self {
            id: wallet.id.0,
            payee_id: wallet.payee.map(|payee| payee.0),
            wallet_type: wallet.wallet_type,
            currency: wallet.currency,
            status: wallet.status,
            mode: wallet.mode(),
            available_balance_minor: wallet.available_minor,
            withdrawable_balance_minor: wallet.withdrawable_minor(payable),
            pending_balance_minor: wallet.pending_minor,
            reserved_balance_minor: wallet.reserved_minor,
            created_at: wallet.created_at,
        }
    }
}

impl From<&Entry> for WalletEntryView {
    fn from(entry: &Entry) -> Self {
        let posting = |posting: &Posting| PostingView {
            account: posting.account,
            amount_minor: posting.amount_minor,
        };
        let of_payment = entry.reference.clone().filter(|_| entry.payment.is_some());
        Self {
            id: entry.id.0,
            cause: entry.cause,
            payment_id: of_payment.clone(),
            reference: entry.reference.clone().filter(|_| of_payment.is_none()),
            payout_id: entry.payout.map(|payout| payout.0),
            postings: entry.postings.iter().map(posting).collect(),
            created_at: entry.at,
        }
    }
}

fn load_wallet(app: &App, request: &Request) -> Result<Wallet, ApiError> {
    let id = request.id("walletId", WalletId)?;
    query::wallet(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)
}

fn view(app: &App, request: &Request, wallet: &Wallet) -> Result<WalletView, ApiError> {
    let mode = request.seller().seller.mode;
    let payable = match wallet.payee {
        None => true,
        Some(payee) => query::payee(&app.store, request.seller_id(), payee)?
            .is_some_and(|payee| payee.is_payable(mode)),
    };
    Ok(WalletView::new(wallet, payable && wallet.mode() == mode))
}

fn replay(app: &App, request: &Request, id: WalletId) -> ApiResult {
    let wallet =
        query::wallet(&app.store, request.seller_id(), id)?.ok_or_else(ApiError::missing)?;
    Ok(Response::replayed(&WalletsProvided { wallets: [view(app, request, &wallet)?] }))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::post("/wallets", provide)
            .named("createWallet")
            .summary("Provide a wallet")
            .describe("A payee has one wallet for each currency; one that is there is answered.")
            .idempotent()
            .body::<WalletBody>()
            .answer::<WalletsProvided>(201, "The wallet, made now.")
            .answer::<WalletsProvided>(200, "The wallet that was there, or a replay.")
            .refuses(400, "A field is missing or wrong.")
            .refuses(404, "No such payee.")
            .refuses(409, "The payee is archived, or the key was used for a different request."),
        Route::get("/wallets", list)
            .named("listWallets")
            .summary("List wallets")
            .query_id("payeeId", "Only those of this payee.")
            .paged("beforeId")
            .answer::<WalletList>(200, "Newest first, the seller's own too."),
        Route::get("/wallets/{walletId}", get)
            .named("getWallet")
            .summary("Read a wallet")
            .path_id("walletId")
            .answer::<WalletView>(200, "The wallet with its balances."),
        Route::get("/wallets/{walletId}/entries", entries)
            .named("listWalletEntries")
            .summary("List the movements of a wallet")
            .describe("In double entry: the postings of each movement sum to zero.")
            .path_id("walletId")
            .paged("beforeId")
            .answer::<EntryPage>(200, "Newest first."),
    ]
}
