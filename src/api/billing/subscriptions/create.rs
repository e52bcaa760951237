//! `POST /contracts/{contractId}/subscriptions`: one key makes one subscription.

use std::sync::Arc;

use actors::contract::Once;
use actors::domain::ids::ContractId;
use actors::query;
use actors::tables::SUBSCRIPTION_KEYS;

use super::{NewSubscriptionBody, SubscriptionView};
use crate::api::billing::contracts::demand;
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

pub async fn create(app: Arc<App>, call: Call) -> Answer {
    let contract = demand(&app, &call)?;
    let new = call.json::<NewSubscriptionBody>()?.parse()?;
    if let Some(replay) = replay(&app, &call, contract)? {
        return Ok(replay);
    }
    let key = call.idempotency_key().to_owned();
    match app.contracts.create_subscription(call.seller_id(), contract, new, key).await? {
        Once::Made(made) => Ok(Reply::created(&SubscriptionView::from(&made))),
        Once::Before => replay(&app, &call, contract)?.ok_or_else(Problem::unanswered),
    }
}

/// The answer of a key that has made a subscription before: the subscription as it is now. The
/// path belongs to what the key stands for, the body does not.
///
/// # Errors
/// `422` naming `contractId` when the key made a subscription of another contract.
fn replay(app: &App, call: &Call, contract: ContractId) -> Result<Option<Reply>, Problem> {
    let (store, seller) = (&app.store, call.seller_id());
    let row = (seller, call.idempotency_key().to_owned());
    let Some(made) = store.get(SUBSCRIPTION_KEYS, &row)? else { return Ok(None) };
    if made.contract != contract {
        return Err(Problem::unprocessable(
            "Idempotency-Key was used for a subscription with a different contractId",
        ));
    }
    let id = made.subscription;
    let torn = || Problem::internal(&format!("a key's subscription {id} is not there"));
    let found = query::subscription(store, seller, id)?.ok_or_else(torn)?;
    Ok(Some(Reply::replayed(&SubscriptionView::from(&found))))
}
