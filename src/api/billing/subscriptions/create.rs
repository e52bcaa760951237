//! `POST /contracts/{contractId}/subscriptions`: one key makes one subscription.

use std::sync::Arc;

use actors::contract::Once;
use actors::domain::ids::ContractId;
use actors::query;
use actors::tables::SUBSCRIPTION_KEYS;

use super::{NewSubscriptionBody, SubscriptionView};
use crate::api::billing::contracts::require_contract;
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

pub async fn create(app: Arc<App>, request: Request) -> ApiResult {
    let contract = require_contract(&app, &request)?;
    let new = request.json::<NewSubscriptionBody>()?.parse()?;
    if let Some(replay) = replay(&app, &request, contract)? {
        return Ok(replay);
    }
    let key = request.idempotency_key().to_owned();
    match app.contracts.create_subscription(request.seller_id(), contract, new, key).await? {
        Once::Made(made) => Ok(Response::created(&SubscriptionView::from(&made))),
        Once::Before => replay(&app, &request, contract)?.ok_or_else(ApiError::unanswered),
    }
}

/// The answer of a key that has made a subscription before: the subscription as it is now, or
/// `422` when that was of another contract. The path belongs to what the key stands for, the body
/// does not.
fn replay(
    app: &App,
    request: &Request,
    contract: ContractId,
) -> Result<Option<Response>, ApiError> {
    let (store, seller) = (&app.store, request.seller_id());
    let row = (seller, request.idempotency_key().to_owned());
    let Some(made) = store.get(SUBSCRIPTION_KEYS, &row)? else { return Ok(None) };
    if made.contract != contract {
        return Err(ApiError::unprocessable(
            "Idempotency-Key was used for a subscription with a different contractId",
        ));
    }
    let id = made.subscription;
    let torn = || ApiError::internal(&format!("a key's subscription {id} is not there"));
    let found = query::subscription(store, seller, id)?.ok_or_else(torn)?;
    Ok(Some(Response::replayed(&SubscriptionView::from(&found))))
}
