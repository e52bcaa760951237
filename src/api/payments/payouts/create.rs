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

use super::body::{PayeePayoutBody, PayoutBody};
use super::view::PayoutView;
use crate::api::payments::idempotency_key::reused;
use crate::api::payments::payees::load_payee;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

/// What a replay is answered with.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replayed {
    error: &'static str,
    payout_id: PayoutId,
    status: &'static str,
}

pub async fn create(app: Arc<App>, call: Call) -> Answer {
    let body: PayoutBody = call.json()?;
    let (key, order) = from_wallet(&app, &call, &body).await?;
    pay(&app, &call, order, &key).await
}

pub async fn create_for_payee(app: Arc<App>, call: Call) -> Answer {
    let payee = load_payee(&app, &call)?;
    let body: PayeePayoutBody = call.json()?;
    let key = body.sum.key(&call).map_err(refused)?;
    let method = required("payoutMethodId", body.payout_method_id)?;
    let seller = call.seller_id();
    let method = query::payout_method(&app.store, seller, payee.id, PayoutMethodId(method))?;
    let method = method.ok_or_else(|| refused(PayoutRefusal::MethodMissing))?;
    let amount_minor = body.sum.amount(method.currency).map_err(refused)?;
    let mode = call.seller().seller.mode;
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
    let order = with_call_back(&app, &call, order, body.sum.url(), &key).await?;
    pay(&app, &call, order, &key).await
}

async fn from_wallet(
    app: &App,
    call: &Call,
    body: &PayoutBody,
) -> Result<(String, PayoutOrder), Problem> {
    let key = body.sum.key(call).map_err(refused)?;
    let wallet = required("walletId", body.wallet_id)?;
    let code = body.currency_code.as_deref().filter(|code| !code.is_empty());
    let code = required("currencyCode", code)?;
    let method = required("payoutMethodId", body.payout_method_id)?;
    let currency = wallet_currency(code).ok_or_else(|| refused(PayoutRefusal::UnknownCurrency))?;
    let amount_minor = body.sum.amount(currency).map_err(refused)?;
    let wallet = query::wallet(&app.store, call.seller_id(), WalletId(wallet))?;
    let wallet = wallet.ok_or_else(|| refused(PayoutRefusal::WalletMissing))?;
    let order = PayoutOrder {
        payee: wallet.payee.unwrap_or(OWN),
        wallet: wallet.id,
        method: PayoutMethodId(method),
        amount_minor,
        currency,
        call_back: None,
    };
    let order = with_call_back(app, call, order, body.sum.url(), &key).await?;
    Ok((key, order))
}

/// The order with its call-back, whose address is looked up only when the key is fresh: a replay
/// is answered as one whatever has become of the host.
async fn with_call_back(
    app: &App,
    call: &Call,
    order: PayoutOrder,
    url: Option<&str>,
    key: &str,
) -> Result<PayoutOrder, Problem> {
    let Some(text) = url else { return Ok(order) };
    let seller = app.directory.seller(call.seller_id())?.ok_or_else(Problem::missing)?;
    let call_back = app.payees.call_back_url(&seller, text)?;
    if query::payout_key(&app.store, call.seller_id(), key)?.is_none() {
        app.payees.check_call_back(&seller, &call_back).await?;
    }
    Ok(PayoutOrder { call_back: Some(call_back), ..order })
}

async fn pay(app: &App, call: &Call, order: PayoutOrder, key: &str) -> Answer {
    if let Some(made) = query::payout_key(&app.store, call.seller_id(), key)? {
        return Err(replay(app, call, &made, &order)?);
    }
    match app.payees.create_payout(call.seller_id(), order.clone(), key).await? {
        Once::Made(made) => {
            let view = PayoutView::with_secret(&made.payout, made.secret);
            Ok(Reply::created(&view).unstored())
        }
        Once::Before => {
            let made = query::payout_key(&app.store, call.seller_id(), key)?;
            Err(replay(app, call, &made.ok_or_else(Problem::unanswered)?, &order)?)
        }
    }
}

/// What a request under a key that was spent is answered with.
fn replay(
    app: &App,
    call: &Call,
    made: &PayoutKey,
    order: &PayoutOrder,
) -> Result<Problem, Problem> {
    if let Some(field) = made.order.first_difference(order) {
        return Ok(reused(field));
    }
    let payout = query::payout(&app.store, call.seller_id(), made.payout)?;
    let payout = payout.ok_or_else(Problem::unanswered)?;
    let body = Replayed {
        error: "payout with this idempotency key already exists",
        payout_id: payout.id,
        status: payout.status.name(),
    };
    Ok(Problem::document(StatusCode::CONFLICT, &body))
}

fn required<T>(field: &'static str, value: Option<T>) -> Result<T, Problem> {
    value.ok_or_else(|| refused(PayoutRefusal::Required(field)))
}

fn refused(refusal: PayoutRefusal) -> Problem {
    Refusal::from(refusal).into()
}
