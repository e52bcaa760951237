//! `POST /payees/setup`: a payee with its first payout method and wallet, all three or none.

use std::sync::Arc;

use actors::domain::ids::PayeeId;
use actors::domain::payments::payee::{Payee, PayeeRefusal};
use actors::domain::payments::payout_method::PayoutMethod;
use actors::domain::payments::wallet::Wallet;
use actors::domain::refusal::{Refusal, Refuse};
use actors::kernel::Once;
use actors::payee::PayeeOrder;
use actors::query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{PayeeBody, PayeeView, view};
use crate::api::payments::idempotency_key;
use crate::api::payments::payout_methods::{MethodBody, MethodView};
use crate::api::payments::wallets::{WalletView, currency_of};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

const ENDPOINT: &str = "payees/setup";

/// A payee with its first payout method and wallet.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupBody {
    #[schema(required)]
    payee: Option<PayeeBody>,
    #[schema(required)]
    payout_method: Option<MethodBody>,
    #[schema(required)]
    wallet: Option<SetupWalletBody>,
}

/// The wallet of a payee that is being made.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SetupWalletBody {
    /// `EUR`, `GBP` or `USD`.
    #[schema(required)]
    currency: Option<String>,
}

/// What was made.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SetupView {
    payee: PayeeView,
    payout_method: MethodView,
    wallet: WalletView,
}

pub async fn setup(app: Arc<App>, request: Request) -> ApiResult {
    let body: SetupBody = request.json()?;
    let claim = idempotency_key::claim(&app, &request, ENDPOINT, &[], 0);
    if let Some(made) = idempotency_key::used(&app, &request, &claim).await? {
        return replay(&app, &request, PayeeId(made));
    }
    let order = body.order()?;
    match app.payees.create(request.seller_id(), order, claim.clone()).await? {
        Once::Made(opened) => {
            let (Some(method), Some(wallet)) = (opened.method, opened.wallet) else {
                return Err(ApiError::internal(&"a setup made less than was ordered"));
            };
            Ok(Response::created(&SetupView::new(&request, &opened.payee, &method, &wallet)))
        }
        Once::Before => {
            let made = idempotency_key::winner(&app, &request, &claim).await?;
            replay(&app, &request, PayeeId(made))
        }
    }
}

impl SetupBody {
    fn order(&self) -> Result<PayeeOrder, ApiError> {
        let payee = self.payee.as_ref().ok_or_else(|| missing("payee"))?;
        let method = self.payout_method.as_ref().ok_or_else(|| missing("payoutMethod"))?;
        let wallet = self.wallet.as_ref().ok_or_else(|| missing("wallet"))?;
        let payee = payee.parse().map_err(|why| within("payee", why))?;
        let method = method.parse().map_err(|why| within("payoutMethod", why))?;
        let currency = currency_of(wallet.currency.as_deref());
        let currency = currency.map_err(|why| ApiError::invalid(format!("wallet.{why}")))?;
        Ok(PayeeOrder { payee, method: Some(method), wallet: Some(currency) })
    }
}

impl SetupView {
    fn new(request: &Request, payee: &Payee, method: &PayoutMethod, wallet: &Wallet) -> Self {
        let mode = request.seller().seller.mode;
        let payable = wallet.mode() == mode && payee.is_payable(mode);
        Self {
            payee: view(request, payee),
            payout_method: MethodView::from(method),
            wallet: WalletView::new(wallet, payable),
        }
    }
}

/// A replay answers all three as they are now; a method that was deleted since is still told of.
fn replay(app: &App, request: &Request, id: PayeeId) -> ApiResult {
    let seller = request.seller_id();
    let payee = query::payee(&app.store, seller, id)?.ok_or_else(ApiError::missing)?;
    let method = query::first_payout_method(&app.store, seller, id)?;
    let wallet = query::wallets_of(&app.store, &payee)?.into_iter().next();
    let (Some(method), Some(wallet)) = (method, wallet) else { return Err(ApiError::missing()) };
    Ok(Response::replayed(&SetupView::new(request, &payee, &method, &wallet)))
}

fn missing(field: &'static str) -> ApiError {
    Refusal::from(PayeeRefusal::Required(field)).into()
}

/// A refusal of a field within `part`.
fn within(part: &str, refusal: impl Refuse) -> ApiError {
    ApiError::invalid(format!("{part}.{refusal}"))
}
