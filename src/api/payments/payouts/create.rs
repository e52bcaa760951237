//! `POST /payouts` and `POST /payees/{payeeId}/payouts`: two ways to the same payout, with one
//! space of idempotency keys.

use std::sync::Arc;

use actors::domain::ids::{PayoutId, PayoutMethodId, WalletId};
use actors::domain::payments::payout::{PayoutKey, PayoutOrder, PayoutRefusal};
use actors::domain::payments::wallet::{OWN, wallet_currency};
use actors::domain::refusal::Refusal;
use actors::kernel::Once;
use actors::query;
use hyper::StatusCode;
use serde::Serialize;
use serde_with::skip_serializing_none;
use utoipa::ToSchema;

use super::body::{PayeePayoutBody, PayoutBody};
use super::view::PayoutView;
use crate::api::payments::idempotency_key::reused;
use crate::api::payments::payees::load_payee;
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

/// Why a payout is not made.
#[skip_serializing_none]
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PayoutConflictView {
    error: &'static str,
    /// The payout that the same request has made under this key.
    #[schema(value_type = Option<u64>)]
    payout_id: Option<PayoutId>,
    /// Where that payout stands.
    status: Option<&'static str>,
}

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let body: PayoutBody = request.json()?;
    let (key, order) = from_wallet(&app, &request, &body).await?;
    pay(&app, &request, order, &key).await
}

pub async fn create_for_payee(app: Arc<App>, request: Request) -> ApiResult {
    let payee = load_payee(&app, &request)?;
    let body: PayeePayoutBody = request.json()?;
    let key = body.sum.key(&request).map_err(refused)?;
    let method = required("payoutMethodId", body.payout_method_id)?;
    let seller = request.seller_id();
    let method = query::payout_method(&app.store, seller, payee.id, PayoutMethodId(method))?;
    let method = method.ok_or_else(|| refused(PayoutRefusal::MethodMissing))?;
    let amount_minor = body.sum.amount(method.currency).map_err(refused)?;
    let mode = request.seller().seller.mode;
    let wallets = query::wallets_of(&app.store, &payee)?;
    let fits =
        wallets.iter().find(|wallet| wallet.currency == method.currency && wallet.mode() == mode);
    let wallet = fits.ok_or_else(|| refused(PayoutRefusal::NoWallet(method.currency)))?;
    let order = PayoutOrder {
        payee: payee.id,
        wallet: wallet.id,
        method: method.id,
        amount_minor,
        currency: method.currency,
        call_back: None,
    };
    let order = with_call_back(&app, &request, order, body.sum.url(), &key).await?;
    pay(&app, &request, order, &key).await
}

async fn from_wallet(
    app: &App,
    request: &Request,
    body: &PayoutBody,
) -> Result<(String, PayoutOrder), ApiError> {
    let key = body.sum.key(request).map_err(refused)?;
    let wallet = required("walletId", body.wallet_id)?;
    let code = body.currency_code.as_deref().filter(|code| !code.is_empty());
    let code = required("currencyCode", code)?;
    let method = required("payoutMethodId", body.payout_method_id)?;
    let currency = wallet_currency(code).ok_or_else(|| refused(PayoutRefusal::UnknownCurrency))?;
    let amount_minor = body.sum.amount(currency).map_err(refused)?;
    let wallet = query::wallet(&app.store, request.seller_id(), WalletId(wallet))?;
    let wallet = wallet.ok_or_else(|| refused(PayoutRefusal::WalletMissing))?;
    let order = PayoutOrder {
        payee: wallet.payee.unwrap_or(OWN),
        wallet: wallet.id,
        method: PayoutMethodId(method),
        amount_minor,
        currency,
        call_back: None,
    };
    let order = with_call_back(app, request, order, body.sum.url(), &key).await?;
    Ok((key, order))
}

/// The order with its call-back, whose address is looked up only when the key is fresh: a replay
/// is answered as one whatever has become of the host.
async fn with_call_back(
    app: &App,
    request: &Request,
    order: PayoutOrder,
    url: Option<&str>,
    key: &str,
) -> Result<PayoutOrder, ApiError> {
    let Some(text) = url else { return Ok(order) };
    let seller = app.directory.seller(request.seller_id())?.ok_or_else(ApiError::missing)?;
    let call_back = app.payees.call_back_url(&seller, text)?;
    if query::payout_key(&app.store, request.seller_id(), key)?.is_none() {
        app.payees.check_call_back(&seller, &call_back).await?;
    }
    Ok(PayoutOrder { call_back: Some(call_back), ..order })
}

async fn pay(app: &App, request: &Request, order: PayoutOrder, key: &str) -> ApiResult {
    if let Some(made) = query::payout_key(&app.store, request.seller_id(), key)? {
        return Err(replay(app, request, &made, &order)?);
    }
    match app.payees.create_payout(request.seller_id(), order.clone(), key).await? {
        Once::Made(made) => {
            let view = PayoutView::with_secret(&made.payout, made.secret);
            Ok(Response::created(&view).unstored())
        }
        Once::Before => {
            let made = query::payout_key(&app.store, request.seller_id(), key)?;
            Err(replay(app, request, &made.ok_or_else(ApiError::unanswered)?, &order)?)
        }
    }
}

fn replay(
    app: &App,
    request: &Request,
    made: &PayoutKey,
    order: &PayoutOrder,
) -> Result<ApiError, ApiError> {
    if let Some(field) = made.order.first_difference(order) {
        return Ok(reused(field));
    }
    let payout = query::payout(&app.store, request.seller_id(), made.payout)?;
    let payout = payout.ok_or_else(ApiError::unanswered)?;
    let body = PayoutConflictView {
        error: "payout with this idempotency key already exists",
        payout_id: Some(payout.id),
        status: Some(payout.status.name()),
    };
    Ok(ApiError::document(StatusCode::CONFLICT, &body))
}

fn required<T>(field: &'static str, value: Option<T>) -> Result<T, ApiError> {
    value.ok_or_else(|| refused(PayoutRefusal::Required(field)))
}

fn refused(refusal: PayoutRefusal) -> ApiError {
    Refusal::from(refusal).into()
}
