//! What is done to a subscription: each action answers the subscription as it is afterwards.

use std::sync::Arc;

use actors::contract::SubscriptionAction;
use actors::domain::ids::SubscriptionId;
use actors::tables::SUBSCRIPTION_HOMES;
use serde::de::DeserializeOwned;

use super::{CancelBody, ChangePlanBody, EndTrialBody, PauseBody, ResumeBody, SubscriptionView};
use crate::app::App;
use crate::gate::Request;
use crate::http::{ApiError, ApiResult, Response};

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
/// subscription.
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
