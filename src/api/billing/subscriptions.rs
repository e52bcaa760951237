//! `/subscriptions`: made under a contract, read, and acted upon.

mod body;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use actors::contract::{Once, SubscriptionAction};
use actors::domain::ids::{ContractId, SubscriptionId};
use actors::query;
use actors::tables::{SUBSCRIPTION_HOMES, SUBSCRIPTION_KEYS};
use serde::de::DeserializeOwned;

pub use body::{
    CancelBody, ChangePlanBody, EndTrialBody, NewSubscriptionBody, PauseBody, ResumeBody,
};
pub use view::{PendingChangeView, SubscriptionList, SubscriptionView};

use super::contracts::require_contract;
use crate::app::App;
use crate::gate::{Request, Route};
use crate::http::{ApiError, ApiResult, Response};

pub async fn list(app: Arc<App>, request: Request) -> ApiResult {
    let (paging, seller) = (request.paging("beforeId")?, request.seller_id());
    let contract = request.query_id("contractId", ContractId)?;
    let read = move |store: &_| query::subscriptions(store, seller, contract, paging);
    Ok(Response::ok(&SubscriptionList::from(app.blocking(read).await?)))
}

pub async fn get(app: Arc<App>, request: Request) -> ApiResult {
    let id = request.id("subscriptionId", SubscriptionId)?;
    let found = query::subscription(&app.store, request.seller_id(), id)?;
    Ok(Response::ok(&SubscriptionView::from(&found.ok_or_else(ApiError::missing)?)))
}

/// One key makes one subscription.
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

pub async fn cancel(app: Arc<App>, request: Request) -> ApiResult {
    act::<CancelBody>(app, request).await
}

pub async fn pause(app: Arc<App>, request: Request) -> ApiResult {
    act::<PauseBody>(app, request).await
}

pub async fn resume(app: Arc<App>, request: Request) -> ApiResult {
    act::<ResumeBody>(app, request).await
}

pub async fn end_trial(app: Arc<App>, request: Request) -> ApiResult {
    act::<EndTrialBody>(app, request).await
}

pub async fn change_plan(app: Arc<App>, request: Request) -> ApiResult {
    act::<ChangePlanBody>(app, request).await
}

/// Asks the room of the contract that the subscription belongs to; the path names only the
/// subscription, which is answered as it is afterwards.
async fn act<B: DeserializeOwned + Into<SubscriptionAction>>(
    app: Arc<App>,
    request: Request,
) -> ApiResult {
    let id = request.id("subscriptionId", SubscriptionId)?;
    let seller = request.seller_id();
    let home = app.store.get(SUBSCRIPTION_HOMES, &(seller, id))?;
    let home = home.ok_or_else(ApiError::missing)?;
    let action = request.json::<B>()?.into();
    let after = app.contracts.change_subscription(seller, home, id, action).await?;
    Ok(Response::ok(&SubscriptionView::from(&after)))
}

pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/subscriptions", list)
            .named("listSubscriptions")
            .summary("List subscriptions")
            .query_id("contractId", "Only those of this contract.")
            .paged("beforeId")
            .answer::<SubscriptionList>(200, "Newest first."),
        Route::get("/subscriptions/{subscriptionId}", get)
            .named("getSubscription")
            .summary("Read a subscription")
            .path_id("subscriptionId")
            .answer::<SubscriptionView>(200, "The subscription."),
        Route::post("/contracts/{contractId}/subscriptions", create)
            .named("createSubscription")
            .summary("Make a subscription")
            .describe(
                "A repeated key answers the subscription as it is now and is not held against the \
             body; under another contract it is refused. A start in the past begins every term \
             up to today. Terms are counted from the first paid day, so a short month never \
             moves the others. A trial that is over counts as over.",
            )
            .path_id("contractId")
            .idempotent()
            .body::<NewSubscriptionBody>()
            .answer::<SubscriptionView>(201, "The subscription.")
            .answer::<SubscriptionView>(200, "A replay: the subscription as it is now.")
            .refuses(400, "A field is missing, malformed or out of bounds; or the key is.")
            .refuses(422, "The contract is closed, or the key was used under another contract."),
        Route::post("/subscriptions/{subscriptionId}/cancel", cancel)
            .named("cancelSubscription")
            .summary("Cancel a subscription")
            .describe(
                "At the end of the running period or trial, at once, or on a day. What has not \
             started is canceled at once. A begun term stays due in full unless `prorate` gives \
             the unused days back: one that is not billed is cut; for a billed one that takes \
             stored credits. Asking again replaces a scheduled cancel.",
            )
            .path_id("subscriptionId")
            .body_optional::<CancelBody>()
            .answer::<SubscriptionView>(200, "The subscription as it is now.")
            .refuses(400, "A field is malformed, or `at` lies before the contract's day.")
            .refuses(422, "It has ended, or unused days cannot be given back."),
        Route::post("/subscriptions/{subscriptionId}/pause", pause)
            .named("pauseSubscription")
            .summary("Pause a subscription")
            .describe("The running term is finished, and none begins until it is resumed.")
            .path_id("subscriptionId")
            .body_optional::<PauseBody>()
            .answer::<SubscriptionView>(200, "The subscription as it is now.")
            .refuses(400, "`resumesAt` is malformed or not after the contract's day.")
            .refuses(422, "It is not active."),
        Route::post("/subscriptions/{subscriptionId}/resume", resume)
            .named("resumeSubscription")
            .summary("Resume a subscription")
            .describe(
                "Ends a pause, the running term billed from this day on; or undoes a cancel. Where \
                 an invoice could not be collected meanwhile it is `past_due` at once.",
            )
            .path_id("subscriptionId")
            .body_optional::<ResumeBody>()
            .answer::<SubscriptionView>(200, "The subscription as it is now.")
            .refuses(422, "There is neither a pause nor a scheduled cancel, or it has ended."),
        Route::post("/subscriptions/{subscriptionId}/end-trial", end_trial)
            .named("endSubscriptionTrial")
            .summary("End a trial now")
            .path_id("subscriptionId")
            .body_optional::<EndTrialBody>()
            .answer::<SubscriptionView>(200, "The subscription in its first paid term.")
            .refuses(422, "There is no trial, or it may not become paid without a saved card."),
        Route::post("/subscriptions/{subscriptionId}/change-plan", change_plan)
            .named("changeSubscriptionPlan")
            .summary("Change the plan of a subscription")
            .describe(
                "At once, with the days left of the term credited at the price that they were \
             charged at and charged at the new one, this day counted, unless `prorate` is false; \
             or with the next term. Before the first paid day nothing is prorated; while paused the change waits. A later change at the period's \
             end replaces an earlier one, and one to the present plan clears it.",
            )
            .path_id("subscriptionId")
            .body_optional::<ChangePlanBody>()
            .answer::<SubscriptionView>(200, "The subscription as it is now.")
            .refuses(400, "A field is malformed or out of bounds.")
            .refuses(422, "It has ended, or the frequency is to change within a paid term."),
    ]
}
