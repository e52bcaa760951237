//! What is done to a subscription: each action answers the subscription as it is afterwards.

use std::sync::Arc;

use actors::contract::SubscriptionAction;
use actors::domain::ids::{ContractId, SubscriptionId};
use actors::tables::SUBSCRIPTION_HOMES;
use serde::de::DeserializeOwned;

use super::{CancelBody, ChangePlanBody, EndTrialBody, PauseBody, ResumeBody, SubscriptionView};
use crate::app::App;
use crate::http::{Answer, Call, Problem, Reply};

pub async fn cancel(app: Arc<App>, call: Call) -> Answer {
    act::<CancelBody>(app, call).await
}

pub async fn pause(app: Arc<App>, call: Call) -> Answer {
    act::<PauseBody>(app, call).await
}

pub async fn resume(app: Arc<App>, call: Call) -> Answer {
    act::<ResumeBody>(app, call).await
}

pub async fn end_trial(app: Arc<App>, call: Call) -> Answer {
    act::<EndTrialBody>(app, call).await
}

pub async fn change_plan(app: Arc<App>, call: Call) -> Answer {
    act::<ChangePlanBody>(app, call).await
}

/// Asks the room of the contract that the subscription belongs to; the path names only the
/// subscription.
async fn act<B: DeserializeOwned + Into<SubscriptionAction>>(app: Arc<App>, call: Call) -> Answer {
    let id = call.id("subscriptionId", SubscriptionId)?;
    let seller = call.seller_id();
    let home = app.store.get(SUBSCRIPTION_HOMES, &(seller, id))?;
    let home = home.map(ContractId).ok_or_else(Problem::missing)?;
    let action = call.json::<B>()?.into();
    let after = app.contracts.change_subscription(seller, home, id, action).await?;
    Ok(Reply::ok(&SubscriptionView::from(&after)))
}
